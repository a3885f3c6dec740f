/* sha256.h: the hash of a text (FIPS 180-4), by which a weights file names its source. */
#ifndef RASP_COMPILE_SHA256_H
#define RASP_COMPILE_SHA256_H

#include <stddef.h>

/* 64 lower-case hexadecimal digits and a NUL. */
void sha256_hex(const void *bytes, size_t size, char hex[65]);

#endif
