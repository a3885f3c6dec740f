#define _GNU_SOURCE /* on_exit */
#include "cli/warnings.h"

#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

/* In memory of malloc: messages come in the middle of a call of the library. */
typedef struct Said {
    struct Said *next;
    RaspSeverity severity;
    char *text, *place;
} Said;

static Said *first, **end = &first;
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
    if (message->severity == RASP_NOTE) return;
    Said *said = malloc(sizeof *said);
    char *text = strdup(message->text), *place = place_text(&message->place);
    if (said && text && place) {
        *said = (Said){NULL, message->severity, text, place};
        *end = said;
        end = &said->next;
        return;
    }
    lost = true;
    free(said);
    free(text);
    free(place);
}

bool warnings_lost(void) {
    return lost;
}

static void list(Json *json, const char *key, RaspSeverity severity) {
    json_begin_array(json, key);
    for (const Said *s = first; s; s = s->next) {
        if (s->severity != severity) continue;
        json_begin_object(json, NULL);
        json_bytes(json, "text", s->text, strlen(s->text));
        json_bytes(json, "place", s->place, strlen(s->place));
        json_end(json);
    }
    json_end(json);
}

void warnings_json(Json *json) {
    list(json, "warnings", RASP_WARNING);
}

/* --- errors ----------------------------------------------------------------------------- */

static bool expected;

/* What argp ends says on standard error alone. */
static void at_exit(int status, void *context) {
    (void)context;
    errors_finish(status);
    fflush(stdout);
}

void errors_expect_json(bool json) {
    static bool registered;
    expected = json;
    json_forget();
    if (json && !registered) registered = on_exit(at_exit, NULL) == 0;
}

void errors_finish(int status) {
    const Said *s = first;
    bool due = expected && !json_has_begun() && status != EXIT_FINE && status != EXIT_DISAGREE;
    expected = false;
    if (!due) return;
    while (s && s->severity != RASP_ERROR) s = s->next;
    const char *text = s ? s->text : "wrong use of the command line: see standard error";
    const char *place = s ? s->place : "";
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_bytes(&j, "error", text, strlen(text));
    json_bytes(&j, "place", place, strlen(place));
    json_count(&j, "status", (size_t)status);
    list(&j, "errors", RASP_ERROR);
    json_end(&j);
}
