/* Pieces read back: whose run they are of, which are there, which are not. */
#include "cli/piece.h"

#include "base/plural.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/warnings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIECES = 1000000, SHOWN = 60 };

static bool refuse(const char *path, const char *text) {
    report_error("'%s' is no piece of a run: %s", safe_text(path), text);
    return false;
}

/* A value as messages show it. */
static const char *shown(const json_t *value) {
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (!text) return "nothing";
    const char *kept = strlen(text) > SHOWN ? arena_format(command_arena(), "%.*s...", SHOWN, text)
                                            : arena_format(command_arena(), "%s", text);
    free(text);
    return safe_text(kept);
}

/* --- one run ---------------------------------------------------------------------------- */

static bool differ(const Piece *a, const Piece *b, const char *key, const json_t *x,
                   const json_t *y) {
    report_error("'%s' is a piece of another run than '%s': its '%s' is %s and not %s",
                 safe_text(b->path), safe_text(a->path), key, shown(y), shown(x));
    return false;
}

/* Are they of one run?  Says the first difference, in the order in which pieces have them. */
static bool same_run(const Piece *a, const Piece *b) {
    static const char *const head[] = {"piece", "rasp"};
    const char *key;
    json_t *value;
    for (size_t k = 0; k < sizeof head / sizeof *head; k++) {
        const json_t *x = json_object_get(a->root, head[k]), *y = json_object_get(b->root, head[k]);
        if (x != y && !json_equal(x, y)) return differ(a, b, head[k], x, y);
    }
    json_t *run = json_object_get(a->root, "run"), *other = json_object_get(b->root, "run");
    json_object_foreach(run, key, value) {
        const json_t *found = json_object_get(other, key);
        if (!json_equal(value, found)) return differ(a, b, key, value, found);
    }
    json_object_foreach(other, key, value) if (!json_object_get(run, key)) return differ(
        a, b, key, NULL, value);
    const json_t *x = json_object_get(a->root, "of"), *y = json_object_get(b->root, "of");
    return json_equal(x, y) || differ(a, b, "of", x, y);
}

/* Of the same piece twice, the one that got further; two of them must say the same. */
static bool join_same(Piece *old, Piece *new) {
    bool old_whole = !json_object_get(old->root, "stopped");
    bool new_whole = !json_object_get(new->root, "stopped");
    size_t old_done = piece_count(old->root, "done"), new_done = piece_count(new->root, "done");
    bool alike = old_whole == new_whole && old_done == new_done;
    if (alike &&
        !json_equal(json_object_get(old->root, "result"), json_object_get(new->root, "result"))) {
        report_error("'%s' and '%s' are the same piece, %zu, and found different things",
                     safe_text(old->path), safe_text(new->path), piece_count(new->root, "shard"));
        json_decref(new->root);
        return false;
    }
    if (old_whole != new_whole ? new_whole : new_done > old_done) {
        Piece kept = *old;
        *old = *new;
        *new = kept;
    }
    json_decref(new->root);
    return true;
}

/* Takes over the root. */
static bool add_piece(Pieces *p, Piece *new, const Piece **first) {
    size_t number = piece_count(new->root, "shard"), of = piece_count(new->root, "of");
    bool formed = json_is_object(json_object_get(new->root, "run")) &&
                  json_is_object(json_object_get(new->root, "result"));
    bool fine = formed && number >= 1 && number <= of && of <= MOST_PIECES;
    if (!fine) refuse(new->path, "expected 'piece', 'shard', 'of', 'run' and 'result'");
    if (fine && !p->piece) {
        p->of = (uint32_t)of;
        p->piece = ARENA_ARRAY(command_arena(), p->of, Piece);
    } else if (fine) {
        fine = same_run(*first, new);
    }
    if (!fine) {
        json_decref(new->root);
        return false;
    }
    Piece *place = &p->piece[number - 1];
    if (place->root) return join_same(place, new);
    *place = *new;
    if (!*first) *first = place;
    return true;
}

/* --- files ------------------------------------------------------------------------------ */

/* What a command writes that failed is no piece, but no reason to refuse the others. */
static bool is_failure(const Piece *piece) {
    if (json_object_get(piece->root, "piece") || !json_object_get(piece->root, "error"))
        return false;
    report_note("'%s' holds no piece but an error: %s", safe_text(piece->path),
                safe_text(piece_text(piece->root, "error")));
    return true;
}

/* Is there something behind the blanks? */
static bool has_more(FILE *in) {
    int c;
    while ((c = getc(in)) == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    if (c != EOF) ungetc(c, in);
    return c != EOF;
}

static bool read_stream(Pieces *p, const char *path, FILE *in, const Piece **first) {
    enum { FLAGS = JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL };
    json_error_t error;
    bool any = false;
    while (has_more(in)) {
        Piece piece = {path, json_loadf(in, FLAGS, &error)};
        any = true;
        if (!piece.root) return refuse(path, error.text);
        if (is_failure(&piece))
            json_decref(piece.root);
        else if (!add_piece(p, &piece, first))
            return false;
    }
    if (!any) report_note("'%s' is empty: was the command that writes it ended?", safe_text(path));
    return true;
}

static int read_file(Pieces *p, const char *path, const Piece **first) {
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "r");
    if (!in) {
        report_error("cannot read '%s': %s", safe_text(path), strerror(errno));
        return EXIT_NO_FILE;
    }
    bool fine = read_stream(p, standard ? "standard input" : path, in, first);
    if (!standard) fclose(in);
    return fine ? EXIT_FINE : EXIT_WRONG_PROGRAM;
}

/* --- what is not there ------------------------------------------------------------------ */

const json_t *piece_found(const Pieces *p, uint32_t k) {
    return json_object_get(p->piece[k].root, "result");
}

bool piece_stopped(const Pieces *p, uint32_t k) {
    return json_object_get(p->piece[k].root, "stopped") != NULL;
}

/* "piece 2", "pieces 2, 4 to 6 and 9"; NULL: none. */
static const char *missing_text(const Pieces *p) {
    const char *text = NULL, *last = NULL;
    unsigned count = 0;
    for (uint32_t k = 0; k < p->of; k++) {
        uint32_t end = k;
        while (end < p->of && !p->piece[end].root) end++;
        if (end == k) continue;
        if (last) text = text ? arena_format(command_arena(), "%s, %s", text, last) : last;
        last = end - k > 1 ? arena_format(command_arena(), "%u to %u", k + 1, end)
                           : arena_format(command_arena(), "%u", k + 1);
        count += end - k;
        k = end;
    }
    if (!last) return NULL;
    return arena_format(command_arena(), "piece%s %s%s%s of %u %s missing", plural(count),
                        text ? text : "", text ? " and " : "", last, p->of,
                        count == 1 ? "is" : "are");
}

static const char *lack_text(const Pieces *p) {
    const char *text = missing_text(p);
    for (uint32_t k = 0; k < p->of; k++)
        if (p->piece[k].root && piece_stopped(p, k))
            text = arena_format(command_arena(), "%s%spiece %u of %u ended after %zu (%s)",
                                text ? text : "", text ? "; " : "", k + 1, p->of,
                                piece_count(p->piece[k].root, "done"),
                                piece_text(p->piece[k].root, "stopped"));
    return text ? safe_text(text) : NULL;
}

void pieces_json_lack(const Pieces *p, Json *j) {
    if (!p->lack) return;
    json_begin_array(j, "missing");
    for (uint32_t k = 0; k < p->of; k++)
        if (!p->piece[k].root) json_count(j, NULL, k + 1);
    json_end(j);
    json_begin_array(j, "stopped");
    for (uint32_t k = 0; k < p->of; k++)
        if (p->piece[k].root && piece_stopped(p, k)) json_count(j, NULL, k + 1);
    json_end(j);
}

void pieces_note_lack(const Pieces *p) {
    if (p->lack) report_note("not all: %s", p->lack);
}

/* --- warnings --------------------------------------------------------------------------- */

/* As it was said there: "sort.rasp:3:5", or no place. */
static void warn(const char *place, const char *text) {
    RaspMessage message = {.severity = RASP_WARNING, .text = text};
    const char *column = strrchr(place, ':'), *line = column;
    while (line && line > place && *--line != ':') continue;
    if (line && line > place)
        message.place =
            (RaspPlace){.source = arena_text(command_arena(), place, (size_t)(line - place)),
                        .line = (uint32_t)strtoul(line + 1, NULL, 10),
                        .column = (uint32_t)strtoul(column + 1, NULL, 10)};
    report_config(0).report(NULL, &message);
}

void pieces_warn(const Pieces *p) {
    json_t *said = json_array(), *warning, *before;
    size_t w, b;
    for (uint32_t k = 0; k < p->of; k++)
        json_array_foreach(json_object_get(p->piece[k].root, "warnings"), w, warning) {
            bool again = false;
            json_array_foreach(said, b, before) again |= json_equal(before, warning);
            if (again) continue;
            json_array_append(said, warning);
            warn(piece_text(warning, "place"), piece_text(warning, "text"));
        }
    json_decref(said);
}

/* --- all of them ------------------------------------------------------------------------ */

int pieces_read(Pieces *p, char *const *paths, size_t count) {
    const Piece *first = NULL;
    int status = EXIT_FINE;
    *p = (Pieces){0};
    for (size_t k = 0; k < count && status == EXIT_FINE; k++)
        status = read_file(p, paths[k], &first);
    if (status == EXIT_FINE && !first) {
        report_error("no piece of a run among the files");
        status = EXIT_WRONG_PROGRAM;
    }
    if (status != EXIT_FINE) return status;
    p->run = json_object_get(first->root, "run");
    p->kind = piece_text(first->root, "piece");
    p->lack = lack_text(p);
    for (uint32_t k = 0; k < p->of; k++) p->seconds += piece_number(p->piece[k].root, "seconds", 0);
    return EXIT_FINE;
}

void pieces_free(Pieces *p) {
    for (uint32_t k = 0; k < p->of; k++) json_decref(p->piece[k].root);
}
