/* A session of statements: lines in, events out. */
#include "api/repl.h"
#include "api/drawing.h"
#include "api/value.h"

#include "grammar/reader.h"
#include "graph/traps.h"
#include "interp/eval/session.h"
#include "interp/eval/value_text.h"

#include <stdlib.h>
#include <string.h>

struct RaspRepl {
    Core core;
    RaspEvents events;
    Session *session;
    Reader *reader;
    bool done, relaxed;
    NodeId *warned; /* nodes that a warning was given for */
    size_t warned_count, warned_room;
    /* During an event: */
    BudgetStop stop; /* why something that it asked for was stopped */
    Exec *exec;      /* of an application; NULL: the running examples */
    RaspSequence sequence;
};

/* --- values ----------------------------------------------------------------------------- */

_Static_assert(sizeof(Value) <= sizeof((RaspValue){0}.private_words), "RaspValue holds a Value");

static RaspValue value_out(Value value) {
    static const RaspValueKind kinds[] = {
        [VALUE_ATOM] = RASP_VALUE_ATOM, [VALUE_LIST] = RASP_VALUE_LIST,
        [VALUE_DICT] = RASP_VALUE_DICT, [VALUE_FUNCTION] = RASP_VALUE_FUNCTION,
        [VALUE_SOP] = RASP_VALUE_SOP,   [VALUE_SELECTOR] = RASP_VALUE_SELECTOR};
    RaspValue out = {.kind = kinds[value.kind]};
    memcpy(out.private_words, &value, sizeof value);
    return out;
}

static Value value_in(RaspValue value) {
    Value in;
    memcpy(&in, value.private_words, sizeof in);
    return in;
}

RaspAtom rasp_value_atom(RaspValue value) {
    return atom_out(value_in(value).atom);
}

size_t rasp_value_count(RaspValue value) {
    size_t count = 0;
    value_count(value_in(value), &count);
    return count;
}

RaspAtom rasp_value_key(RaspValue dict, size_t k) {
    return atom_out(value_in(dict).dict->keys[k]);
}

bool rasp_value_flat(RaspValue value) {
    Value v = value_in(value);
    size_t count = 0;
    if (v.kind != VALUE_LIST && v.kind != VALUE_DICT) return true;
    if (v.kind == VALUE_LIST && !v.list->items) return true;
    value_count(v, &count);
    const Value *elements = v.kind == VALUE_LIST ? v.list->items : v.dict->values;
    for (size_t k = 0; k < count; k++)
        if (elements[k].kind != VALUE_ATOM && elements[k].kind != VALUE_FUNCTION) return false;
    return true;
}

const char *rasp_value_name(RaspValue value) {
    return value_in(value).object->name->text;
}

/* --- what an event may ask for ---------------------------------------------------------- */

/* What stops it will stop the statement, once the event is over: nothing jumps across the
 * caller's functions. */
bool repl_ask(RaspRepl *r, RaspError *error, CoreBody *body, void *context) {
    RaspError unwanted;
    r->core.budget->stop = BUDGET_GOING;
    bool done = core_call(&r->core, error ? error : &unwanted, RASP_FAILED, body, context);
    if (!done && r->core.budget->stop != BUDGET_GOING) r->stop = r->core.budget->stop;
    return done;
}

typedef struct Question {
    Value value, input;
    size_t k;
    RaspStyle style;
    const char *text, *failure;
    const bool *cells;
    char *dot;
} Question;

static bool find_element(Core *core, void *context) {
    Question *q = context;
    budget_poll(core->budget); /* shared parts make long texts */
    if (q->value.kind == VALUE_LIST)
        q->value = list_at(q->value.list, q->k);
    else if (q->value.kind == VALUE_DICT)
        q->value = q->value.dict->values[q->k];
    else
        q->value = value_element(q->value, q->k, session_intern(((RaspRepl *)core)->session));
    return true;
}

RaspValue rasp_value_element(RaspRepl *r, RaspValue value, size_t k) {
    Question q = {.value = value_in(value), .k = k};
    if (repl_ask(r, NULL, find_element, &q)) return value_out(q.value);
    return value_out(value_atom(atom_int(0)));
}

static bool find_text(Core *core, void *context) {
    static const TextStyle styles[] = {[RASP_PLAIN] = TEXT_PLAIN,
                                       [RASP_QUOTED] = TEXT_QUOTED,
                                       [RASP_LISTED] = TEXT_LISTED,
                                       [RASP_CELL] = TEXT_PLAIN,
                                       [RASP_JSON] = TEXT_QUOTED};
    Question *q = context;
    q->text = value_show(q->value, styles[q->style], session_scratch(((RaspRepl *)core)->session));
    return true;
}

const char *rasp_value_text(RaspRepl *r, RaspValue value, RaspStyle style) {
    Question q = {.value = value_in(value), .style = style};
    return repl_ask(r, NULL, find_text, &q) ? q.text : "";
}

static bool find_sequence(Core *core, void *context) {
    RaspRepl *r = (RaspRepl *)core;
    Question *q = context;
    Fault fault;
    const Column *column = r->exec ? exec_column(r->exec, q->value.object->node, &fault)
                                   : session_example_column(r->session, q->value, &fault);
    if (column)
        r->sequence = sequence_of_column(column);
    else
        q->failure = fault_reference_text(&fault, session_scratch(r->session));
    return column != NULL;
}

const RaspSequence *rasp_value_sequence(RaspRepl *r, RaspValue value, const char **failure) {
    Question q = {.value = value_in(value), .failure = ""};
    bool done = repl_ask(r, NULL, find_sequence, &q);
    if (failure) *failure = q.failure;
    return done ? &r->sequence : NULL;
}

static bool find_selection(Core *core, void *context) {
    RaspRepl *r = (RaspRepl *)core;
    Question *q = context;
    Fault fault;
    q->cells = r->exec ? exec_matrix(r->exec, q->value.object->node, &fault)
                       : session_example_matrix(r->session, q->value, &fault);
    if (!q->cells) q->failure = fault_reference_text(&fault, session_scratch(r->session));
    return q->cells != NULL;
}

const bool *rasp_value_selection(RaspRepl *r, RaspValue value, const char **failure) {
    Question q = {.value = value_in(value), .failure = ""};
    bool done = repl_ask(r, NULL, find_selection, &q);
    if (failure) *failure = q.failure;
    return done ? q.cells : NULL;
}

/* --- drawings --------------------------------------------------------------------------- */

static bool find_dot(Core *core, void *context) {
    RaspRepl *r = (RaspRepl *)core;
    Question *q = context;
    Arena *arena = session_scratch(r->session);
    Fault fault;
    Drawing drawing = {
        .graph = session_graph(r->session), .exec = r->exec, .root = q->value.object->node};
    value_count(q->input, &drawing.length);
    bool is_string = q->input.kind == VALUE_ATOM;
    drawing.title = arena_format(arena, "%s(%s)", q->value.object->name->text,
                                 value_show(q->input, is_string ? TEXT_QUOTED : TEXT_PLAIN, arena));
    q->dot = drawing_text(core, &drawing, arena, &fault);
    return q->dot || (fault.id != FAULT_NONE &&
                      core_fail(core, RASP_FAILED, "%s", fault_text(&fault, arena)));
}

char *rasp_value_dot(RaspRepl *r, RaspValue value, RaspValue input, RaspError *error) {
    Question q = {.value = value_in(value), .input = value_in(input)};
    if (!r->exec) {
        error_set(error, RASP_WRONG_USE, "only what is being drawn has a drawing");
        return NULL;
    }
    repl_ask(r, error, find_dot, &q);
    return q.dot;
}

bool rasp_repl_stopped(const RaspRepl *r) {
    return r->stop != BUDGET_GOING;
}

/* --- events ----------------------------------------------------------------------------- */

static void begin_event(RaspRepl *r, Exec *exec) {
    r->stop = BUDGET_GOING;
    r->exec = exec;
}

/* What the event asked for and could not have ends the statement. */
static void end_event(RaspRepl *r) {
    r->exec = NULL;
    if (r->stop != BUDGET_GOING) budget_stop(r->core.budget, r->stop);
}

static void deliver_warning(void *context, const SourceMap *map, const Diag *diag) {
    RaspRepl *r = context;
    RaspMessage message = message_of(map, diag, NULL, 0);
    r->events.warned(r->events.context, r, &message);
}

static bool is_new(RaspRepl *r, NodeId node) {
    for (size_t k = 0; k < r->warned_count; k++)
        if (r->warned[k] == node) return false;
    r->warned = arena_grow(r->core.arena, r->warned, &r->warned_room, r->warned_count + 1,
                           sizeof *r->warned);
    r->warned[r->warned_count++] = node;
    return true;
}

static void warn(RaspRepl *r, Session *session, Value value) {
    const Graph *graph = session_graph(session);
    if (!r->events.warned || !value_is_graph(value)) return;
    size_t count;
    begin_event(r, NULL);
    const Trap *traps = traps_find(graph, &value.object->node, 1, &count, session_scratch(session));
    for (size_t k = 0; k < count; k++)
        if (is_new(r, traps[k].node))
            trap_report(&traps[k], graph, &(DiagSink){deliver_warning, r},
                        session_sources(session));
    end_event(r);
}

static void on_named(void *context, Session *session, const Str *name, Value value) {
    RaspRepl *r = context;
    if (r->events.named) {
        begin_event(r, NULL);
        r->events.named(r->events.context, r, name->text, value_out(value));
        end_event(r);
    }
    warn(r, session, value);
}

static void on_applied(void *context, Session *session, Value value, Value input, Exec *exec) {
    RaspRepl *r = context;
    (void)session;
    if (!r->events.applied) return;
    begin_event(r, exec);
    r->events.applied(r->events.context, r, value_out(value), value_out(input));
    end_event(r);
}

static void on_drawn(void *context, Session *session, Value value, Value input, Exec *exec,
                     bool show) {
    RaspRepl *r = context;
    (void)session;
    if (!r->events.drawn) return;
    begin_event(r, exec);
    r->events.drawn(r->events.context, r, value_out(value), value_out(input), show);
    end_event(r);
}

static void on_example(void *context, Session *session, AstTarget which) {
    static const RaspExample targets[] = {[AST_BOTH] = RASP_EXAMPLE_BOTH,
                                          [AST_SOP] = RASP_EXAMPLE_SOP,
                                          [AST_SELECTOR] = RASP_EXAMPLE_SELECTOR};
    RaspRepl *r = context;
    (void)session;
    if (!r->events.example) return;
    begin_event(r, NULL);
    r->events.example(r->events.context, r, targets[which]);
    end_event(r);
}

/* The reference's words go beside our message, which a sink delivers. */
typedef struct Failure {
    RaspRepl *repl;
    RaspFailure class;
    const char *reference;
} Failure;

enum { MOST_NOTES = 16 };

static void deliver_failure(void *context, const SourceMap *map, const Diag *diag) {
    const Failure *f = context;
    RaspMessage notes[MOST_NOTES], message = message_of(map, diag, notes, MOST_NOTES);
    f->repl->events.failed(f->repl->events.context, f->repl, f->class, f->reference, &message);
}

static void on_fault(void *context, Session *session, const Fault *fault) {
    static const RaspFailure classes[] = {[FAULT_RASP] = RASP_FAILURE_LANGUAGE,
                                          [FAULT_HOST] = RASP_FAILURE_HOST,
                                          [FAULT_PLAIN] = RASP_FAILURE_PLAIN};
    RaspRepl *r = context;
    if (!r->events.failed) return;
    Arena *scratch = session_scratch(session);
    Failure failure = {r, classes[fault_class(fault->id)], fault_reference_text(fault, scratch)};
    begin_event(r, r->exec);
    fault_report(fault, &(DiagSink){deliver_failure, &failure}, session_sources(session), scratch);
    end_event(r);
}

static void on_stopped(void *context, Session *session, const char *text) {
    RaspRepl *r = context;
    if (r->events.stopped) r->events.stopped(r->events.context, session ? r : NULL, text);
}

static void on_syntax(void *context, const SourceMap *map, const Diag *diag) {
    RaspRepl *r = context;
    RaspMessage notes[MOST_NOTES], message = message_of(map, diag, notes, MOST_NOTES);
    if (r->events.syntax && diag->severity == DIAG_ERROR)
        r->events.syntax(r->events.context, r, &message);
    else if (r->events.warned && r->relaxed && diag->severity == DIAG_WARNING)
        r->events.warned(r->events.context, r, &message);
}

/* --- the session ------------------------------------------------------------------------ */

static bool start(Core *core, void *context) {
    RaspRepl *r = (RaspRepl *)core;
    (void)context;
    SessionOptions options = {.mode = SESSION_REPL,
                              .budget = core->budget,
                              .strict = core->config.strict,
                              .read = core->config.read,
                              .read_context = core->config.read_context,
                              .find = core->config.find,
                              .find_context = core->config.find_context,
                              .find_places = core->config.find_places,
                              .sink = {.context = r,
                                       .named = on_named,
                                       .applied = on_applied,
                                       .drawn = on_drawn,
                                       .example = on_example,
                                       .fault = on_fault,
                                       .stopped = on_stopped,
                                       .syntax = {on_syntax, r}}};
    r->session = session_new(&options);
    if (!r->session) return core_stopped(core);
    ParseContext parse = {session_arena(r->session), session_intern(r->session),
                          session_sources(r->session), NULL};
    r->reader = reader_new(&parse);
    return true;
}

RaspRepl *rasp_repl_new(const RaspEvents *events, const RaspConfig *config, RaspError *error) {
    RaspRepl *r = calloc(1, sizeof *r);
    if (!r) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a session");
        return NULL;
    }
    if (events) r->events = *events;
    if (core_init(&r->core, config, error) && core_call(&r->core, error, RASP_FAILED, start, NULL))
        return r;
    rasp_repl_free(r);
    return NULL;
}

void rasp_repl_free(RaspRepl *r) {
    if (!r) return;
    reader_free(r->reader);
    session_free(r->session);
    core_clear(&r->core);
    free(r);
}

/* --- lines ------------------------------------------------------------------------------ */

typedef struct Line {
    const char *text;
    size_t length;
} Line;

static void execute(RaspRepl *r, const Ast *unit) {
    if (session_execute(r->session, unit) == SESSION_EXIT) r->done = true;
}

/* One after the other, whether or not one fails; Ctrl-C ends all of them. */
static void execute_all(RaspRepl *r, const Ast *block) {
    const volatile sig_atomic_t *cancel = r->core.config.cancel;
    for (uint32_t k = 0; k < block->count && !r->done && !(cancel && *cancel); k++)
        execute(r, block->child[k]);
}

static void take(RaspRepl *r, const ReaderResult *result) {
    switch (result->status) {
    case READER_MORE:
        break;
    case READER_UNIT:
        execute(r, result->unit);
        break;
    case READER_SEVERAL:
        if (r->relaxed)
            execute_all(r, result->unit);
        else
            on_fault(r, r->session, &(Fault){.id = FAULT_SEVERAL_STATEMENTS});
        break;
    case READER_ERROR:
        on_syntax(
            r, session_sources(r->session),
            &(Diag){.severity = DIAG_ERROR, .span = result->span, .message = result->message});
        break;
    }
}

/* Adds the line to the session's texts and reads it. */
static ReaderResult read_line(RaspRepl *r, const Line *line, const Source **source) {
    SourceMap *map = session_sources(r->session);
    *source = source_add(map, "console", line->text, line->length);
    if (*source) return reader_line(r->reader, *source, 0, (*source)->length);
    reader_drop(r->reader);
    return (ReaderResult){.status = READER_ERROR,
                          .message = "no room for this line: a session holds 4 GiB of text"};
}

static bool take_line(Core *core, void *context) {
    RaspRepl *r = (RaspRepl *)core;
    const Source *source;
    ReaderResult result = read_line(r, context, &source);
    take(r, &result);
    if (!result.again) return true;
    result = reader_line(r->reader, source, 0, source->length);
    take(r, &result);
    return true;
}

void rasp_repl_relax(RaspRepl *r, bool relaxed) {
    r->relaxed = relaxed;
    reader_relax(r->reader, relaxed ? &(DiagSink){on_syntax, r} : NULL);
    session_load_whole(r->session, relaxed);
}

bool rasp_repl_line(RaspRepl *r, const char *line, size_t length) {
    RaspError error;
    if (!core_call(&r->core, &error, RASP_FAILED, take_line, &(Line){line, length}))
        on_stopped(r, r->session, error.text);
    return !r->done;
}

static bool drop(Core *core, void *context) {
    (void)context;
    reader_drop(((RaspRepl *)core)->reader);
    return true;
}

void rasp_repl_drop(RaspRepl *r) {
    core_call(&r->core, NULL, RASP_FAILED, drop, NULL);
}

bool rasp_repl_fresh(const RaspRepl *r) {
    return reader_is_fresh(r->reader);
}

unsigned rasp_repl_def_words(const RaspRepl *r) {
    return reader_def_words(r->reader);
}

static AstTarget target_in(RaspExample which) {
    return which == RASP_EXAMPLE_SELECTOR ? AST_SELECTOR
           : which == RASP_EXAMPLE_SOP    ? AST_SOP
                                          : AST_BOTH;
}

RaspValue rasp_repl_example(const RaspRepl *r, RaspExample which) {
    return value_out(session_example(r->session, target_in(which)));
}

bool rasp_repl_shows_examples(const RaspRepl *r, RaspExample which) {
    return session_shows_examples(r->session, target_in(which));
}

bool rasp_repl_full_display(const RaspRepl *r) {
    return session_full_display(r->session);
}

Session *repl_session(RaspRepl *r) {
    return r->session;
}

Exec *repl_exec(RaspRepl *r) {
    return r->exec;
}

NodeId repl_node(RaspValue sop) {
    return value_in(sop).object->node;
}
