#include "api/program.h"

#include "base/near.h"
#include "grammar/ast_dump.h"
#include "grammar/parse.h"
#include "graph/analysis.h"
#include "graph/graph_dump.h"
#include "graph/traps.h"
#include "interp/eval/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- loading ---------------------------------------------------------------------------- */

static void on_fault(void *context, Session *session, const Fault *fault) {
    RaspProgram *p = context;
    bool of_program = fault->span.end == fault->span.begin; /* not of a file that it loads */
    if ((fault->id == FAULT_FILE_ERROR || fault->id == FAULT_NO_FILE) && of_program)
        p->core.wrong = RASP_NO_FILE;
    DiagSink sink = core_sink(&p->core);
    fault_report(fault, &sink, session_sources(session), session_arena(session));
}

static void on_stop(void *context, Session *session, const char *message) {
    RaspProgram *p = context;
    (void)session, (void)message;
    core_stopped(&p->core);
}

/* The texts that the program loaded: those behind its own.  Before any other text is added. */
static void list_loaded(RaspProgram *p) {
    const SourceMap *map = session_sources(p->session);
    const Source *program = session_program(p->session), *last = program;
    size_t room = 0;
    FileText *loaded = NULL;
    for (;;) {
        uint32_t next = last->base + last->length + 1;
        const Source *source = source_find(map, (Span){next, next});
        if (source == last) break;
        loaded = arena_grow(p->core.arena, loaded, &room, p->loaded_count + 1, sizeof *loaded);
        loaded[p->loaded_count++] = (FileText){source->name, source->text, source->length};
        last = source;
    }
    p->loaded = loaded;
}

static bool load(Core *core, void *context) {
    RaspProgram *p = (RaspProgram *)core;
    const RaspSource *source = context;
    const char *path = source->path ? source->path : "program";
    const char *name = source->name ? source->name : path;
    p->path = arena_text(core->arena, path, strlen(path));
    p->name = arena_text(core->arena, name, strlen(name));
    SessionOptions options = {
        .mode = SESSION_BATCH,
        .budget = core->budget,
        .read = core->config.read,
        .read_context = core->config.read_context,
        .find = core->config.find,
        .find_context = core->config.find_context,
        .find_places = core->config.find_places,
        .sink = {.context = p, .fault = on_fault, .stopped = on_stop, .syntax = core_sink(core)}};
    p->session = session_new(&options);
    if (!p->session) return false;
    bool loaded = source->text
                      ? session_load_text(p->session, p->path, source->text, source->length)
                      : session_load(p->session, p->path);
    if (!loaded) return false;
    p->settings = pragma_read(session_program(p->session), core->arena, &p->setting_count);
    list_loaded(p);
    return true;
}

RaspProgram *rasp_program_load(const RaspSource *source, const RaspConfig *config,
                               RaspError *error) {
    RaspProgram *p = calloc(1, sizeof *p);
    if (!p) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a program");
        return NULL;
    }
    atomic_init(&p->keepers, 1);
    bool fine = core_init(&p->core, config, error) &&
                core_call(&p->core, error, RASP_WRONG_PROGRAM, load, (void *)(uintptr_t)source);
    if (fine) return p;
    rasp_program_free(p);
    return NULL;
}

RaspProgram *program_keep(RaspProgram *p) {
    atomic_fetch_add(&p->keepers, 1);
    return p;
}

void rasp_program_free(RaspProgram *p) {
    if (!p || atomic_fetch_sub(&p->keepers, 1) > 1) return;
    session_free(p->session);
    core_clear(&p->core);
    free(p);
}

bool rasp_program_setting(const RaspProgram *p, size_t k, const char **key, const char **value) {
    if (k >= p->setting_count) return false;
    *key = p->settings[k].key;
    *value = p->settings[k].value;
    return true;
}

/* --- s-ops ------------------------------------------------------------------------------ */

static const char *what_it_is(Value value) {
    static const char *const word[] = {[VALUE_LIST] = "a list",
                                       [VALUE_DICT] = "a dict",
                                       [VALUE_FUNCTION] = "a function",
                                       [VALUE_SOP] = "an s-op",
                                       [VALUE_SELECTOR] = "a selector"};
    if (value.kind != VALUE_ATOM) return word[value.kind];
    return value.atom.kind == ATOM_STRING ? "a string" : "a number";
}

/* "hist(tokens)": the parameters, with what is mostly meant by the one called seq. */
static const char *call_text(const Function *f, Arena *arena) {
    const char *text = f->name->text;
    for (uint32_t k = 0; k < f->arity; k++) {
        const Str *parameter = function_parameter(f, k);
        const char *word = parameter ? parameter->text : "…";
        if (strcmp(word, "seq") == 0) word = "tokens";
        text = arena_format(arena, "%s%s%s", text, k ? ", " : "(", word);
    }
    return arena_format(arena, f->arity ? "%s)" : "%s()", text);
}

/* ": apply it to its 2 parameters, as in 'count(tokens, atom)'" after what is no s-op. */
static const char *way_out(Value value, Arena *arena) {
    if (value.kind != VALUE_FUNCTION) return "";
    uint32_t arity = value.function->arity;
    const char *what = arity == 0   ? ""
                       : arity == 1 ? " to its parameter"
                                    : arena_format(arena, " to its %u parameters", arity);
    return arena_format(arena, ": apply it%s, as in '%s'", what, call_text(value.function, arena));
}

/* The value as an s-op, or, if there is a `kind`, as a selector too; else core_fail; `label` says
 * what it is. */
static bool accept_value(RaspProgram *p, const char *name, Value value, const char *label,
                         RaspValueKind *kind, RaspSop *sop) {
    *sop = (RaspSop){name, NODE_NONE, RASP_BY_NAME};
    bool selector = kind && value.kind == VALUE_SELECTOR;
    if (value.kind != VALUE_SOP && !selector)
        return core_fail(&p->core, RASP_WRONG_PROGRAM, "%s is %s, expected an s-op%s%s", label,
                         what_it_is(value), kind ? " or a selector" : "",
                         way_out(value, p->core.arena));
    sop->node = value.object->node;
    if (kind) *kind = selector ? RASP_VALUE_SELECTOR : RASP_VALUE_SOP;
    return true;
}

/* The program's s-ops by name. */
static RaspSop *list_sops(RaspProgram *p, size_t *count) {
    size_t total;
    const Binding *names = session_names(p->session, &total);
    RaspSop *sops = ARENA_ARRAY(p->core.arena, total + 1, RaspSop);
    *count = 0;
    for (size_t k = 0; k < total; k++)
        if (names[k].value.kind == VALUE_SOP)
            sops[(*count)++] =
                (RaspSop){names[k].name->text, names[k].value.object->node, RASP_BY_NAME};
    return sops;
}

enum { LISTED = 12 }; /* names in a message */

/* ", did you mean 'sort'?" or what there is. */
static const char *suggest(RaspProgram *p, const char *name) {
    size_t count;
    Arena *arena = p->core.arena;
    const RaspSop *sops = list_sops(p, &count);
    const char **names = ARENA_ARRAY(arena, count + 1, const char *);
    for (size_t k = 0; k < count; k++) names[k] = sops[k].name;
    const char *near = near_words(arena, name, names, count);
    if (*near) return near;
    const char *text = count ? "; it has" : "; it gives no name to any";
    for (size_t k = 0; k < count && k < LISTED; k++)
        text = arena_format(arena, "%s%s '%s'", text, k ? "," : "", names[k]);
    return count > LISTED ? arena_format(arena, "%s, ...", text) : text;
}

typedef struct Wanted {
    const char *text; /* a name, an expression, or NULL */
    RaspSop *sop;
    RaspValueKind *kind; /* NULL: an s-op */
    size_t count;
    const RaspSop *sops;
} Wanted;

static bool find_main(RaspProgram *p, RaspSop *sop) {
    Binding binding;
    bool found = session_main(p->session, &binding) &&
                 accept_value(p, binding.name->text, binding.value, "the result", NULL, sop);
    sop->chosen = RASP_BY_DEFAULT;
    if (found) return true;
    return core_fail(&p->core, RASP_WRONG_PROGRAM,
                     "'%s' assigns no s-op; --expr gives one, e.g. --expr 'sort(tokens, tokens)'",
                     p->name);
}

static bool find_sop(Core *core, void *context) {
    RaspProgram *p = (RaspProgram *)core;
    const Wanted *wanted = context;
    Value value;
    if (!wanted->text) return find_main(p, wanted->sop);
    const char *name = arena_text(core->arena, wanted->text, strlen(wanted->text));
    if (session_lookup(p->session, name, &value))
        return accept_value(p, name, value, arena_format(core->arena, "'%s'", name), wanted->kind,
                            wanted->sop);
    return core_fail(core, RASP_WRONG_PROGRAM, "no s-op '%s' in '%s'%s", name, p->name,
                     suggest(p, name));
}

bool rasp_program_sop(RaspProgram *p, const char *name, RaspSop *sop, RaspError *error) {
    return core_call(&p->core, error, RASP_WRONG_PROGRAM, find_sop,
                     &(Wanted){.text = name, .sop = sop});
}

bool program_evaluate(RaspProgram *p, const char *label, const char *text, Value *value) {
    return session_evaluate(p->session, label, text, value);
}

static bool find_expression(Core *core, void *context) {
    RaspProgram *p = (RaspProgram *)core;
    const Wanted *wanted = context;
    const char *text = arena_text(core->arena, wanted->text, strlen(wanted->text));
    Value value;
    if (!program_evaluate(p, "--expr", text, &value) ||
        !accept_value(p, text, value, "the expression", wanted->kind, wanted->sop))
        return false;
    wanted->sop->chosen = RASP_BY_EXPRESSION;
    return true;
}

bool rasp_program_expression(RaspProgram *p, const char *expression, RaspSop *sop,
                             RaspError *error) {
    return core_call(&p->core, error, RASP_WRONG_PROGRAM, find_expression,
                     &(Wanted){.text = expression, .sop = sop});
}

bool rasp_program_value(RaspProgram *p, const char *text, bool is_name, RaspValueKind *kind,
                        RaspSop *value, RaspError *error) {
    return core_call(&p->core, error, RASP_WRONG_PROGRAM, is_name ? find_sop : find_expression,
                     &(Wanted){.text = text, .sop = value, .kind = kind});
}

typedef struct Name {
    const char *name, *call; /* found: a call of it */
} Name;

static bool find_call(Core *core, void *context) {
    RaspProgram *p = (RaspProgram *)core;
    Name *n = context;
    Value value;
    if (session_lookup(p->session, n->name, &value) && value.kind == VALUE_FUNCTION)
        n->call = call_text(value.function, core->arena);
    return true;
}

const char *rasp_program_call(RaspProgram *p, const char *name, RaspError *error) {
    Name n = {.name = name};
    core_call(&p->core, error, RASP_WRONG_PROGRAM, find_call, &n);
    return n.call;
}

static bool find_all(Core *core, void *context) {
    Wanted *wanted = context;
    RaspProgram *p = (RaspProgram *)core;
    wanted->sops = list_sops(p, &wanted->count);
    return wanted->count ||
           core_fail(core, RASP_WRONG_PROGRAM, "'%s' gives no name to an s-op", p->name);
}

const RaspSop *rasp_program_sops(RaspProgram *p, size_t *count, RaspError *error) {
    Wanted wanted = {0};
    bool found = core_call(&p->core, error, RASP_WRONG_PROGRAM, find_all, &wanted);
    *count = found ? wanted.count : 0;
    return found ? wanted.sops : NULL;
}

const char *program_text(RaspProgram *p, NodeId node, size_t limit, Arena *arena) {
    return graph_text(session_graph(p->session), node, limit, arena);
}

/* --- warnings --------------------------------------------------------------------------- */

typedef struct WarnCall {
    const RaspSop *sops;
    size_t count;
} WarnCall;

static bool warn(Core *core, void *context) {
    RaspProgram *p = (RaspProgram *)core;
    const WarnCall *call = context;
    NodeId *roots = ARENA_ARRAY(core->arena, call->count + 1, NodeId);
    for (size_t k = 0; k < call->count; k++) roots[k] = call->sops[k].node;
    size_t found;
    DiagSink sink = core_sink(core);
    const Graph *graph = session_graph(p->session);
    const Trap *traps = traps_find(graph, roots, call->count, &found, core->arena);
    for (size_t k = 0; k < found; k++)
        trap_report(&traps[k], graph, &sink, session_sources(p->session));
    return true;
}

bool rasp_program_warn(RaspProgram *p, const RaspSop *sops, size_t count, RaspError *error) {
    return core_call(&p->core, error, RASP_FAILED, warn, &(WarnCall){sops, count});
}

/* --- layers ----------------------------------------------------------------------------- */

typedef struct LayersCall {
    NodeId root;
    RaspLayers *result;
} LayersCall;

static RaspPlace node_place(RaspProgram *p, NodeId id) {
    if (id == NODE_NONE) return (RaspPlace){0};
    return place_of(session_sources(p->session), graph_node(session_graph(p->session), id)->span);
}

static RaspHead head_of(RaspProgram *p, const Head *head) {
    const char *selector = head->selector == NODE_NONE
                               ? "select(1, 1, ==)"
                               : program_text(p, head->selector, PROGRAM_TEXT_MOST, p->core.arena);
    return (RaspHead){head->layer, selector, node_place(p, head->selector), head->uses};
}

/* A node of the path: by its name, or in source form. */
static RaspStep step_of(RaspProgram *p, NodeId id) {
    const Node *node = graph_node(session_graph(p->session), id);
    const char *text =
        node->name ? node->name->text : program_text(p, id, PROGRAM_TEXT_MOST, p->core.arena);
    return (RaspStep){text, node_place(p, id)};
}

static bool find_layers(Core *core, void *context) {
    LayersCall *call = context;
    RaspProgram *p = (RaspProgram *)core;
    Layers layers = analyse_layers(session_graph(p->session), &call->root, 1, core->arena);
    RaspHead *heads = ARENA_ARRAY(core->arena, layers.head_count + 1, RaspHead);
    RaspStep *path = ARENA_ARRAY(core->arena, layers.count + 1, RaspStep);
    for (size_t k = 0; k < layers.head_count; k++) heads[k] = head_of(p, &layers.heads[k]);
    for (uint32_t k = 0; k < layers.count; k++) path[k] = step_of(p, layers.path[k]);
    call->result = ARENA_NEW(core->arena, RaspLayers);
    *call->result = (RaspLayers){layers.count, heads, layers.head_count, path};
    return true;
}

const RaspLayers *rasp_program_layers(RaspProgram *p, const RaspSop *sop, RaspError *error) {
    LayersCall call = {sop->node, NULL};
    core_call(&p->core, error, RASP_FAILED, find_layers, &call);
    return call.result;
}

/* --- dumps ------------------------------------------------------------------------------ */

typedef struct GraphCall {
    RaspProgram *program;
    const RaspSop *sops;
    size_t count;
    char *text;
} GraphCall;

static void write_graph(FILE *out, void *context) {
    const GraphCall *call = context;
    Arena *arena = call->program->core.arena;
    NodeId *roots = ARENA_ARRAY(arena, call->count, NodeId);
    const char **names = ARENA_ARRAY(arena, call->count, const char *);
    for (size_t k = 0; k < call->count; k++)
        roots[k] = call->sops[k].node, names[k] = call->sops[k].name;
    graph_dump(out, session_graph(call->program->session), roots, names, call->count, arena);
}

static bool dump_graph(Core *core, void *context) {
    GraphCall *call = context;
    return (call->text = core_text(core, write_graph, call)) != NULL;
}

char *rasp_program_graph(RaspProgram *p, const RaspSop *sops, size_t count, RaspError *error) {
    GraphCall call = {p, sops, count, NULL};
    core_call(&p->core, error, RASP_FAILED, dump_graph, &call);
    return call.text;
}

typedef struct TreeCall {
    const RaspSource *source;
    const Ast *tree;
    Arena *arena;
    char *text;
} TreeCall;

static void write_tree(FILE *out, void *context) {
    const TreeCall *call = context;
    ast_dump(out, call->tree, call->arena);
}

static bool dump_tree(Core *core, void *context) {
    TreeCall *call = context;
    const RaspSource *from = call->source;
    const char *text = from->text, *path = from->path ? from->path : "program";
    size_t length = from->length;
    if (!text && !(text = core_read(core, path, &length))) return false;
    SourceMap *map = source_map_new(core->arena);
    const Source *source = source_add(map, path, text, length);
    if (!source)
        return core_fail(core, RASP_WRONG_PROGRAM,
                         "'%s' is too large: a text holds less than 4 GiB", path);
    DiagSink sink = core_sink(core);
    ParseContext context_of_parse = {core->arena, intern_new(core->arena), map, &sink};
    call->tree = parse_file(&context_of_parse, source);
    call->arena = core->arena;
    return call->tree && (call->text = core_text(core, write_tree, call)) != NULL;
}

char *rasp_syntax_tree(const RaspSource *source, const RaspConfig *config, RaspError *error) {
    Core core;
    TreeCall call = {source, NULL, NULL, NULL};
    if (core_init(&core, config, error))
        core_call(&core, error, RASP_WRONG_PROGRAM, dump_tree, &call);
    core_clear(&core);
    return call.text;
}
