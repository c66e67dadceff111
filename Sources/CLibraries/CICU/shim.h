#ifndef CICU_SHIM_H
#define CICU_SHIM_H
#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/ubrk.h>
#include <unicode/ucal.h>
#endif
