#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H
#include <zlib.h>

// Macros that hand sizeof(z_stream) to the library.
static inline int tidings_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }
static inline int tidings_deflate_init(z_stream *stream, int window_bits) {
  return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
