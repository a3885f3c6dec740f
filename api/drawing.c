#include "api/drawing.h"

#include <stdlib.h>

typedef struct DotText {
    const Drawing *drawing;
    Arena *arena;
    Fault *fault;
    bool fine;
} DotText;

static void write_dot(FILE *out, void *context) {
    DotText *d = context;
    d->fine = graph_dot(out, d->drawing, d->arena, d->fault);
}

char *drawing_text(Core *core, const Drawing *drawing, Arena *arena, Fault *fault) {
    DotText d = {drawing, arena, fault, false};
    *fault = (Fault){.id = FAULT_NONE};
    char *text = core_text(core, write_dot, &d);
    if (d.fine) return text;
    free(text);
    return NULL;
}
