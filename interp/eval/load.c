/* Loading files (language.md 11.6, 13.7). */
#include "interp/eval/eval.h"

#include "base/file.h"
#include "base/utf8.h"
#include "grammar/parse.h"
#include "grammar/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD_DEPTH = 100, PIECE = 1 << 16 };

/* --- reading ---------------------------------------------------------------------------- */

typedef struct Contents {
    char *bytes; /* an arena block */
    size_t length, room;
} Contents;

/* Makes the block twice as large; the file is closed if that is too much. */
static void enlarge(Arena *arena, Contents *contents, FILE *file) {
    Budget *budget = arena_budget(arena);
    BudgetGuard guard;
    size_t room = contents->room ? 2 * contents->room : PIECE;
    if (!BUDGET_ENTER(budget, &guard)) {
        BudgetStop why = budget->stop;
        fclose(file);
        arena_release(arena, contents->bytes);
        budget_stop(budget, why);
    }
    char *bytes = ARENA_BLOCK(arena, room, char);
    budget_leave(budget, &guard);
    if (contents->length) memcpy(bytes, contents->bytes, contents->length);
    arena_release(arena, contents->bytes);
    contents->bytes = bytes;
    contents->room = room;
}

/* 0, or an errno. */
static int read_file(Arena *arena, const char *path, Contents *contents) {
    FILE *file = file_open(path);
    if (!file) return errno;
    size_t got;
    do {
        if (contents->length == contents->room) enlarge(arena, contents, file);
        got = fread(contents->bytes + contents->length, 1, contents->room - contents->length, file);
        contents->length += got;
    } while (got > 0);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    return error;
}

/* What the owner of the session gives is malloc'd; it becomes an arena block like any other. */
static int read_given(const Session *s, const char *path, Contents *contents) {
    char *volatile text = NULL;
    char *given = NULL;
    BudgetGuard guard;
    int error = s->options.read(s->options.read_context, path, &given, &contents->length);
    if (error) return error;
    text = given;
    if (!BUDGET_ENTER(s->budget, &guard)) {
        free(text);
        budget_stop(s->budget, s->budget->stop);
    }
    contents->bytes = ARENA_BLOCK(s->arena, contents->length, char);
    budget_leave(s->budget, &guard);
    if (contents->length) memcpy(contents->bytes, text, contents->length);
    free(text);
    return 0;
}

static Fault reading_fault(Session *s, const char *path, int error) {
    if (error == ENOENT || error == ENOTDIR)
        return (Fault){.id = FAULT_NO_FILE, .arg = {path, arena_format(s->scratch, "'%s'", path)}};
    return (Fault){.id = FAULT_FILE_ERROR,
                   .arg = {path, arena_format(s->scratch, "%d", error), strerror(error)}};
}

/* The file at `path`, as a source called `name`. */
static const Source *read_source(Session *s, const char *path, const char *name, Fault *fault) {
    Contents contents = {0};
    const Source *source = NULL;
    int error =
        s->options.read ? read_given(s, path, &contents) : read_file(s->arena, path, &contents);
    if (error) {
        *fault = reading_fault(s, path, error);
    } else {
        size_t good = utf8_valid_prefix(contents.bytes, contents.length);
        if (good < contents.length)
            *fault = (Fault){.id = FAULT_FILE_UTF8, .arg = {path, eval_number(s, good)}};
        else if (!(source = source_add(s->sources, name, contents.bytes, contents.length)))
            *fault = (Fault){.id = FAULT_FILE_TOO_LARGE, .arg = {path}};
    }
    arena_release(s->arena, contents.bytes);
    return source;
}

const Source *load_source(Session *s, const char *path, Fault *fault) {
    return read_source(s, path, path, fault);
}

/* --- executing -------------------------------------------------------------------------- */

static ParseContext parse_context(const Session *s) {
    return (ParseContext){s->arena, s->intern, s->sources, &s->options.sink.syntax};
}

/* Ctrl-C ends a load, and whatever loads it. */
static void check_cancelled(Session *s) {
    if (s->cancelled) budget_stop(s->budget, BUDGET_CANCELLED);
}

bool load_whole(Session *s, Scope *scope, const Source *source) {
    ParseContext context = parse_context(s);
    const Ast *block = parse_file(&context, source);
    Scope *outer = s->scope;
    bool fine = block != NULL;
    s->scope = scope;
    for (uint32_t k = 0; block && k < block->count; k++) {
        SessionOutcome outcome = session_run(s, block->child[k]);
        check_cancelled(s);
        if (outcome == SESSION_FAILED) fine = false;
        if (outcome == SESSION_EXIT || session_gives_up(s)) break;
    }
    s->scope = outer;
    return fine;
}

static void report_syntax(const Session *s, const ReaderResult *result) {
    diag_report(&s->options.sink.syntax, s->sources,
                &(Diag){.severity = DIAG_ERROR, .span = result->span, .message = result->message});
}

/* One line, as the REPL takes it; false: it was `exit`. */
static bool take_line(Session *s, Reader *reader, const Source *source, uint32_t at,
                      uint32_t length) {
    ReaderResult result = reader_line(reader, source, at, length);
    switch (result.status) {
    case READER_MORE:
        break;
    case READER_UNIT:
        return session_run(s, result.unit) != SESSION_EXIT;
    case READER_SEVERAL:
        session_emit_fault(s, &(Fault){.id = FAULT_SEVERAL_STATEMENTS});
        break;
    case READER_ERROR:
        report_syntax(s, &result);
        break;
    }
    return true;
}

/* What is unfinished at the end is dropped without a word. */
static void take_lines(Session *s, Reader *reader, const Source *source) {
    for (uint32_t at = 0; at < source->length;) {
        const char *text = source->text + at;
        const char *newline = memchr(text, '\n', source->length - at);
        uint32_t length = newline ? (uint32_t)(newline - text) + 1 : source->length - at;
        if (!take_line(s, reader, source, at, length)) return;
        check_cancelled(s);
        at += length;
    }
}

static void load_lines(Session *s, const Source *source) {
    BudgetGuard guard;
    ParseContext context = parse_context(s);
    Reader *reader = reader_new(&context);
    if (BUDGET_ENTER(s->budget, &guard)) {
        take_lines(s, reader, source);
        budget_leave(s->budget, &guard);
        reader_free(reader);
    } else {
        BudgetStop why = s->budget->stop;
        reader_free(reader);
        budget_stop(s->budget, why);
    }
}

/* --- the statement ---------------------------------------------------------------------- */

/* What is looked for, and where it was not. */
typedef struct Quest {
    const char *name, *path; /* the path has the suffix */
    const char *tried;       /* for a message */
    Fault fault;             /* of the last attempt */
} Quest;

/* Beside the file that loads it: not in the REPL, as the reference has it. */
static const Source *find_beside(Session *s, const Ast *ast, Quest *quest) {
    const Source *loading = source_find(s->sources, ast->span);
    const char *slash = loading ? strrchr(loading->name, '/') : NULL;
    if (s->options.mode == SESSION_REPL || quest->path[0] == '/' || !slash) return NULL;
    const char *path = arena_format(s->scratch, "%.*s/%s", (int)(slash - loading->name),
                                    loading->name, quest->path);
    quest->tried = arena_format(s->scratch, "%s, '%s'", quest->tried, path);
    return load_source(s, path, &quest->fault);
}

/* The length of the name before ".rasp", or 0 if it has no such end. */
static int stem(const char *name) {
    static const char suffix[] = ".rasp";
    size_t length = strlen(name), tail = sizeof suffix - 1;
    bool ends = length > tail && strcmp(name + length - tail, suffix) == 0;
    return ends ? (int)(length - tail) : 0;
}

/* Where the session's owner finds programs by their names.  The source keeps the name that was
 * asked for, so that it is the same on every machine. */
static const Source *find_elsewhere(Session *s, Quest *quest) {
    const SessionOptions *o = &s->options;
    if (!o->find || stem(quest->name)) return NULL;
    char *found = o->find(o->find_context, quest->name);
    quest->tried =
        arena_format(s->scratch, "%s, nor '%s' in %s", quest->tried, quest->name, o->find_places);
    if (!found) return NULL;
    const char *path = arena_text(s->scratch, found, strlen(found));
    free(found);
    return read_source(s, path, quest->path, &quest->fault);
}

/* The way out for a name with its suffix. */
static const char *suffix_hint(Session *s, const char *name) {
    if (!stem(name)) return "";
    return arena_format(s->scratch, ": 'load' adds the suffix itself, write load \"%.*s\";",
                        stem(name), name);
}

static const Source *find_source(Session *s, const Ast *ast) {
    const char *name = ast->text->text, *path = arena_format(s->scratch, "%s.rasp", name);
    Quest quest = {name, path, arena_format(s->scratch, "'%s'", path), {0}};
    const Source *source = load_source(s, path, &quest.fault);
    if (!source && quest.fault.id == FAULT_NO_FILE) source = find_beside(s, ast, &quest);
    if (!source && quest.fault.id == FAULT_NO_FILE) source = find_elsewhere(s, &quest);
    if (source) return source;
    if (quest.fault.id == FAULT_NO_FILE)
        EVAL_FAIL(s, NO_FILE, ast, path,
                  arena_format(s->scratch, "%s%s", quest.tried, suffix_hint(s, name)));
    quest.fault.span = ast->mark;
    eval_raise(s, &quest.fault);
}

void eval_load(Session *s, const Ast *ast) {
    LoadFrame frame = {.outer = s->loads,
                       .caller = s->scope,
                       .path = ast->text->text,
                       .depth = s->loads ? s->loads->depth + 1 : 1};
    if (frame.depth > LOAD_DEPTH)
        EVAL_FAIL(s, LOAD_DEPTH, ast, eval_number(s, LOAD_DEPTH), frame.path);
    const Source *source = find_source(s, ast);
    bool show_sops = s->show_sops, show_selectors = s->show_selectors;
    Trial *trial = s->trial;
    Scope *scope = scope_new(s->heap, s->start, ast->text, 0);
    scope->exports = s->scope;
    s->loads = &frame;
    s->trial = NULL;
    s->show_sops = s->show_selectors = false;
    s->scope = scope;
    bool batch = s->options.mode == SESSION_BATCH;
    if (!batch && !s->loads_whole)
        load_lines(s, source);
    else if (!load_whole(s, scope, source) && batch)
        s->failed = s->silent_undefined = true;
    scope->exports = NULL;
    s->scope = frame.caller;
    s->loads = frame.outer;
    s->trial = trial;
    if (s->options.mode == SESSION_REPL) session_emit_pending(s);
    s->show_sops = show_sops;
    s->show_selectors = show_selectors;
}
