/* plural.h: the s behind a counted noun, `printf("%zu head%s", count, plural(count))`. */
#ifndef RASP_BASE_PLURAL_H
#define RASP_BASE_PLURAL_H

#include <stddef.h>

static inline const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

#endif
