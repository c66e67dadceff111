#ifndef CICU_SHIM_H
#define CICU_SHIM_H
#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/ubrk.h>
#include <unicode/ucal.h>

// ICU renames every function by a macro that carries its version, which Swift cannot see through.

static inline const UNormalizer2 *tidings_unorm2_nfkc_casefold(UErrorCode *status) {
  return unorm2_getNFKCCasefoldInstance(status);
}
static inline const UNormalizer2 *tidings_unorm2_nfd(UErrorCode *status) {
  return unorm2_getNFDInstance(status);
}
static inline int32_t tidings_unorm2_normalize(const UNormalizer2 *normalizer, const UChar *source, int32_t length,
                                               UChar *target, int32_t capacity, UErrorCode *status) {
  return unorm2_normalize(normalizer, source, length, target, capacity, status);
}
#endif
