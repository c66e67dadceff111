#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

// Variadic in SQLite, so Swift cannot call it: switches one of the connection's booleans.
static inline int tidings_sqlite3_db_config_switch(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}

// Variadic too: no counting of memory, for which every allocation of every connection takes one lock.
static inline int tidings_sqlite3_config_without_memory_status(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// SQLITE_TRANSIENT is a cast of -1, which Swift does not import: SQLite takes its own copy of the bytes.
static inline int tidings_sqlite3_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int tidings_sqlite3_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}
#endif
