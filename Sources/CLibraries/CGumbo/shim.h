#ifndef CGUMBO_SHIM_H
#define CGUMBO_SHIM_H
#include <gumbo.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* Gumbo never asks whether memory was to be had, builds trees far larger than their source where a stranger wants it
   to, and frees them by recursion. So it gets its memory from here: in blocks, up to a limit, freed at once. Past the
   limit the parse is left by longjmp – over Gumbo's frames only, which hold nothing but memory of these blocks. In C,
   because Swift cannot call setjmp. */
struct tidings_html_block { struct tidings_html_block *next; size_t used, size; };
struct tidings_html_memory { struct tidings_html_block *blocks; size_t left; jmp_buf past_limit; };

static inline void *tidings_html_allocate(void *user, size_t size) {
  struct tidings_html_memory *memory = (struct tidings_html_memory *)user;
  size = (size + 15) & ~(size_t)15;
  struct tidings_html_block *block = memory->blocks;
  if (!block || block->size - block->used < size) {
    size_t room = size > 65536 ? size : 65536;
    if (room > memory->left) longjmp(memory->past_limit, 1);
    block = (struct tidings_html_block *)malloc(sizeof *block + 16 + room);
    if (!block) longjmp(memory->past_limit, 1);
    memory->left -= room;
    block->next = memory->blocks;
    block->used = 0;
    block->size = room;
    memory->blocks = block;
  }
  char *first = (char *)(((size_t)(block + 1) + 15) & ~(size_t)15);
  void *result = first + block->used;
  block->used += size;
  return result;
}

static inline void tidings_html_deallocate(void *user, void *memory) { (void)user; (void)memory; }

/* The tree of a fragment as it would stand inside a <div>, or NULL if it needs more memory than `limit` bytes.
   `memory` holds the tree: tidings_html_free releases both. */
static inline GumboOutput *tidings_html_parse(
    const char *bytes, size_t count, size_t limit, struct tidings_html_memory *memory) {
  memory->blocks = NULL;
  memory->left = limit;
  if (_setjmp(memory->past_limit)) return NULL;
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = tidings_html_allocate;
  options.deallocator = tidings_html_deallocate;
  options.userdata = memory;
  options.max_errors = 0;
  options.fragment_context = GUMBO_TAG_DIV;
  /* The tree points into its source. */
  char *source = (char *)tidings_html_allocate(memory, count + 1);
  memcpy(source, bytes, count);
  source[count] = 0;
  return gumbo_parse_with_options(&options, source, count);
}

static inline void tidings_html_free(struct tidings_html_memory *memory) {
  while (memory->blocks) {
    struct tidings_html_block *next = memory->blocks->next;
    free(memory->blocks);
    memory->blocks = next;
  }
}
#endif
