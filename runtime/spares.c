#include "runtime/spares.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PLACES = 16, SIZE_LIMIT = 64 << 20 };

/* A buffer starts with its own size while it is spare, so that a place is one pointer. */
struct Spares {
    _Atomic(size_t *) places[PLACES];
};

Spares *spares_new(void) {
    return rt_calloc(1, sizeof(Spares));
}

void spares_free(Spares *spares) {
    if (!spares) return;
    for (size_t i = 0; i < PLACES; i++) free(atomic_load(&spares->places[i]));
    free(spares);
}

RtBuffer spares_take(Spares *spares) {
    for (size_t i = 0; i < PLACES; i++) {
        size_t *bytes = atomic_exchange(&spares->places[i], NULL);
        if (bytes) return (RtBuffer){bytes, *bytes};
    }
    return (RtBuffer){0};
}

void spares_give(Spares *spares, RtBuffer buffer) {
    if (buffer.size < sizeof(size_t) || buffer.size > SIZE_LIMIT) {
        rt_buffer_clear(&buffer);
        return;
    }
    size_t *bytes = buffer.bytes;
    *bytes = buffer.size;
    for (size_t i = 0; i < PLACES; i++) {
        size_t *none = NULL;
        if (atomic_compare_exchange_strong(&spares->places[i], &none, bytes)) return;
    }
    free(bytes);
}
