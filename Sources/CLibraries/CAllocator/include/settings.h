#ifndef CALLOCATOR_SETTINGS_H
#define CALLOCATOR_SETTINGS_H
/* The allocator's settings; see settings.c. */
extern const char *malloc_conf;
#endif
