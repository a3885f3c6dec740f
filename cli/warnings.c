#include "cli/warnings.h"

#include <stdlib.h>
#include <string.h>

/* In memory of malloc: messages come in the middle of a call of the library. */
typedef struct Warning {
    struct Warning *next;
    char *text, *place;
} Warning;

static Warning *first, **end = &first;
static bool lost;

static char *place_text(const RaspPlace *place) {
    if (!place->source) return strdup("");
    const char *slash = strrchr(place->source, '/');
    const char *name = slash ? slash + 1 : place->source;
    size_t size = strlen(name) + 32;
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s:%u:%u", name, place->line, place->column);
    return text;
}

void warnings_note(const RaspMessage *message) {
    if (message->severity != RASP_WARNING) return;
    Warning *warning = malloc(sizeof *warning);
    char *text = strdup(message->text), *place = place_text(&message->place);
    if (warning && text && place) {
        *warning = (Warning){NULL, text, place};
        *end = warning;
        end = &warning->next;
        return;
    }
    lost = true;
    free(warning);
    free(text);
    free(place);
}

bool warnings_lost(void) {
    return lost;
}

void warnings_json(Json *json) {
    json_begin_array(json, "warnings");
    for (const Warning *w = first; w; w = w->next) {
        json_begin_object(json, NULL);
        json_text(json, "text", w->text);
        json_text(json, "place", w->place);
        json_end(json);
    }
    json_end(json);
}
