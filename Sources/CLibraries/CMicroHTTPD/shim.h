#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H
#include <poll.h>
#include <sys/eventfd.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// What libmicrohttpd said while the daemon started: the only account of a refused certificate.
// Later messages are dropped, because strangers cause them and can cause any number.
struct mhd_startup_log {
  int listening;
  char text[512];
};

static inline void mhd_keep_startup_message(void *log, const char *format, va_list arguments) {
  struct mhd_startup_log *startup = (struct mhd_startup_log *)log;
  if (__atomic_load_n(&startup->listening, __ATOMIC_ACQUIRE))
    vsnprintf(startup->text, sizeof startup->text, format, arguments);
}

static inline void mhd_close_startup_log(struct mhd_startup_log *log) {
  __atomic_store_n(&log->listening, 0, __ATOMIC_RELEASE);
}

// The request target is taken raw from the request line, and so the library's own decoding is turned off.
static inline size_t mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

struct mhd_settings {
  int listen_fd;
  unsigned int threads;
  unsigned int connections;
  unsigned int idle_seconds;
  size_t connection_memory;
  const char *certificate;  // PEM, with `key`; NULL for clear text
  const char *key;
  void *context;
  MHD_AcceptPolicyCallback accept;
  void *(*target)(void *context, const char *target, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback request;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  struct mhd_startup_log *log;
};

// Variadic, so Swift cannot call it.
static inline struct MHD_Daemon *mhd_start(const struct mhd_settings *settings) {
  struct MHD_OptionItem tls[] = {
    {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
    {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
    {MHD_OPTION_END, 0, NULL},
  };
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
  if (settings->certificate) flags |= MHD_USE_TLS;
  return MHD_start_daemon(
    flags, 0, settings->accept, settings->context, settings->request, settings->context,
    MHD_OPTION_EXTERNAL_LOGGER, mhd_keep_startup_message, (void *)settings->log,
    MHD_OPTION_LISTEN_SOCKET, settings->listen_fd,
    MHD_OPTION_THREAD_POOL_SIZE, settings->threads,
    MHD_OPTION_CONNECTION_LIMIT, settings->connections,
    MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
    MHD_OPTION_URI_LOG_CALLBACK, settings->target, settings->context,
    MHD_OPTION_UNESCAPE_CALLBACK, mhd_keep_escapes, NULL,
    MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
    MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
    MHD_OPTION_ARRAY, settings->certificate ? tls : none,
    MHD_OPTION_END);
}

// Variadic, so Swift cannot call it. The pointer that `connection` stored when the socket was accepted.
static inline void *mhd_socket_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *found = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return found ? found->socket_context : NULL;
}

// Variadic, so Swift cannot call it.
static inline int mhd_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *found = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return found ? found->connect_fd : -1;
}

// Variadic, so Swift cannot call it.
static inline const struct sockaddr *mhd_peer(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *found = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return found ? found->client_addr : NULL;
}

// A NUL byte would cut the target silently: libmicrohttpd ends it where the version begins, so what follows the
// terminator is the version or there was a NUL inside. Only valid within the `target` callback.
static inline int mhd_target_holds_nul(const char *target) {
  return strncmp(target + strlen(target) + 1, "HTTP/", 5) != 0;
}

// Hides the query from the library, which would split it for nobody's use, and which (0.9.75) never answers a request
// whose query has more items than its memory holds. The library reads the text again only after the `target` callback.
static inline void mhd_hide_query(const char *target) {
  char *query = strchr(target, '?');
  if (query) query[1] = '\0';
}

// Variadic, so Swift cannot call it. The body ends with the connection instead of with a last chunk.
static inline void mhd_end_with_connection(struct MHD_Response *response) {
  MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

// Wakes a thread out of poll(2). Swift's Glibc leaves this header out.
static inline int mhd_new_wakeup(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

// Whether the other side has closed its half of `socket`. POLLRDHUP is a GNU extension that Glibc's module leaves out.
#ifndef POLLRDHUP
#define POLLRDHUP 0x2000
#endif
static inline int mhd_peer_has_left(int socket) {
  struct pollfd request = {socket, POLLRDHUP, 0};
  return poll(&request, 1, 0) > 0 && (request.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

// The library's constants for these are macros with casts, which Swift does not import.
static const uint64_t mhd_size_unknown = MHD_SIZE_UNKNOWN;
static const ssize_t mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
#endif
