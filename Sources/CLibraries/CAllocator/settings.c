// CAllocator: how the program's allocator is set. Never knows what is allocated.

#include "settings.h"

/* jemalloc reads this before anything else runs. An article's values are made on one thread and let go of on another, so
   that each of many arenas holds on to what the others could use: a worker with a backlog took half as much memory
   again. What is free goes back to the system within a second. */
const char *malloc_conf = "narenas:2,dirty_decay_ms:1000";
