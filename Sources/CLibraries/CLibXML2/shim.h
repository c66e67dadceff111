#ifndef CLIBXML2_SHIM_H
#define CLIBXML2_SHIM_H
#include <libxml/xmlversion.h>
/* Debian builds libxml2 with ICU: encoding.h would then include unicode/ucnv.h, which collides with the ICU inside
   Foundation (UErrorCode). Nothing here uses that part. */
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <libxml/globals.h>

/* Some of libxml2's errors have no parser to be told to and go to standard error; a variadic function can only be
   written in C. */
static void tidings_xml_say_nothing(void *context, const char *message, ...) {
  (void)context;
  (void)message;
}
static inline void tidings_xml_silence(void) {
  xmlThrDefSetGenericErrorFunc(NULL, tidings_xml_say_nothing);
  xmlSetGenericErrorFunc(NULL, tidings_xml_say_nothing);
}
#endif
