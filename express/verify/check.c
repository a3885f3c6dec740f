/* Refusals, and memory that grows. */
#include "express/verify/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool refuse(Check *check, const char *format, ...) {
    va_list arguments;
    if (check->error->status != RASP_OK) return false;
    check->error->status = RASP_WRONG_FILE;
    va_start(arguments, format);
    vsnprintf(check->error->text, sizeof check->error->text, format, arguments);
    va_end(arguments);
    return false;
}

bool refuse_for(Check *check, const char *doing, const RaspError *reason) {
    RaspStatus status = reason->status >= RASP_OUT_OF_MEMORY ? reason->status : RASP_WRONG_FILE;
    refuse(check, "%s: %.800s", doing, reason->text);
    check->error->status = status;
    return false;
}

void *block_grow(Arena *arena, void *array, size_t *capacity, size_t need, size_t size) {
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < need) wanted *= 2;
    char *copy = arena_block(arena, wanted, size);
    if (*capacity) memcpy(copy, array, *capacity * size);
    memset(copy + *capacity * size, 0, (wanted - *capacity) * size);
    if (array) arena_release(arena, array);
    *capacity = wanted;
    return copy;
}
