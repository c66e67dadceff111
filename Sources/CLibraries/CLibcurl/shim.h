#ifndef CLIBCURL_SHIM_H
#define CLIBCURL_SHIM_H
#include <curl/curl.h>
#include <sys/prctl.h>

// curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic, so Swift cannot call them: one function of
// fixed arity for each type of argument.

static inline CURLcode tidings_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tidings_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tidings_curl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tidings_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

// Write and header callbacks share one type.
typedef size_t (*tidings_curl_data_callback)(char *bytes, size_t size, size_t count, void *user);
static inline CURLcode tidings_curl_set_data_callback(CURL *easy, CURLoption option, tidings_curl_data_callback f) {
  return curl_easy_setopt(easy, option, f);
}
static inline CURLcode tidings_curl_set_progress_callback(CURL *easy, curl_xferinfo_callback f) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, f);
}
static inline CURLcode tidings_curl_set_open_socket_callback(CURL *easy, curl_opensocket_callback f) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, f);
}
static inline CURLcode tidings_curl_set_prerequest_callback(CURL *easy, curl_prereq_callback f) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, f);
}

static inline CURLcode tidings_curl_get_long(CURL *easy, CURLINFO key, long *value) {
  return curl_easy_getinfo(easy, key, value);
}
static inline CURLcode tidings_curl_get_offset(CURL *easy, CURLINFO key, curl_off_t *value) {
  return curl_easy_getinfo(easy, key, value);
}
static inline CURLcode tidings_curl_get_text(CURL *easy, CURLINFO key, const char **value) {
  return curl_easy_getinfo(easy, key, value);
}
static inline CURLcode tidings_curl_get_private(CURL *easy, void **value) {
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, value);
}

static inline CURLMcode tidings_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// `data` of a CURLMsg is an anonymous union of a pointer and a code.
static inline CURLcode tidings_curl_message_result(const CURLMsg *message) { return message->data.result; }
static inline CURL *tidings_curl_message_easy(const CURLMsg *message) { return message->easy_handle; }

// A macro with a cast, which Swift does not import.
static const long tidings_curl_auth_basic = (long)CURLAUTH_BASIC;

// Variadic too. At most 15 bytes; shows in `top -H`.
static inline void tidings_curl_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#endif
