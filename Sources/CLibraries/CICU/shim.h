#ifndef CICU_SHIM_H
#define CICU_SHIM_H
#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/unorm2.h>

/* ICU renames its functions to carry its version (ucnv_open_72), by macros that Swift cannot see. */
static inline UConverter *tidings_ucnv_open(const char *name, UErrorCode *error) { return ucnv_open(name, error); }
static inline void tidings_ucnv_close(UConverter *converter) { ucnv_close(converter); }

/* Counts what cannot be decoded, and puts U+FFFD in its place. */
static inline void tidings_ucnv_count(
    const void *context, UConverterToUnicodeArgs *arguments, const char *bytes, int32_t length,
    UConverterCallbackReason reason, UErrorCode *error) {
  if (reason <= UCNV_IRREGULAR) ++*(int32_t *)context;
  UCNV_TO_U_CALLBACK_SUBSTITUTE(NULL, arguments, bytes, length, reason, error);
}

/* Converts all of `source`, or as much as `target` holds (then U_BUFFER_OVERFLOW_ERROR); both pointers move on. */
static inline void tidings_ucnv_convert(
    UConverter *to, UConverter *from, char **target, const char *target_end, const char **source,
    const char *source_end, int32_t *faults, UErrorCode *error) {
  UChar pivot[2048];
  UChar *pivot_source = pivot, *pivot_target = pivot;
  UConverterToUCallback old;
  const void *old_context;
  ucnv_setToUCallBack(from, tidings_ucnv_count, faults, &old, &old_context, error);
  ucnv_convertEx(
      to, from, target, target_end, source, source_end, pivot, &pivot_source, &pivot_target, pivot + 2048, 1, 1, error);
}

static inline const UNormalizer2 *tidings_unorm2_nfkc_casefold(UErrorCode *error) {
  return unorm2_getNFKCCasefoldInstance(error);
}
static inline const UNormalizer2 *tidings_unorm2_nfd(UErrorCode *error) { return unorm2_getNFDInstance(error); }
static inline int32_t tidings_unorm2_normalize(
    const UNormalizer2 *normalizer, const UChar *source, int32_t length, UChar *target, int32_t capacity,
    UErrorCode *error) {
  return unorm2_normalize(normalizer, source, length, target, capacity, error);
}
#endif
