#include "cli/target.h"

#include "cli/alphabet.h"
#include "cli/command.h"
#include "cli/near.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/timer.h"
#include "grammar/pragma.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- the command line ---------------------------------------------------------------------- */

enum {
    KEY_ALPHABET = OPTION_TARGET_KEYS,
    KEY_LENGTH,
    KEY_FIRST,
    KEY_WHERE,
    KEY_DTYPE,
    KEY_MASK,
    KEY_LAYOUT,
    KEY_LOG_LENGTH,
    KEY_TOLERANCE,
    KEY_TABLE_LIMIT,
    KEY_TIME_LIMIT
};

/* Contexts (a position in an input of some length) are counted in 32 bits. */
enum { LONGEST = 50000 };

static const struct argp_option table[] = {
    {"alphabet", KEY_ALPHABET, "TOKENS", 0,
     "the tokens of inputs: a string, each character a token; a list such as '[1, 2]' or "
     "'[\"hi\", \"you\"]'; or @FILE, a token a line (default: the program's magic comment, then "
     "a to z)",
     3},
    {"max-length", KEY_LENGTH, "N", 0, "the longest input (default: the comment, then 16)", 3},
    {"first", KEY_FIRST, "TOKEN", 0, "inputs start with this token", 3},
    {"where", KEY_WHERE, "SOP", 0, "inputs are those on which this s-op is true everywhere", 3},
    {"dtype", KEY_DTYPE, "TYPE", 0, "f32, f64, or auto: the smaller that can be certified", 4},
    {"mask", KEY_MASK, "MASKS", 0, "per-head, none (a plain encoder) or causal (a plain decoder)",
     4},
    {"layout", KEY_LAYOUT, "LAYOUT", 0,
     "compact, or standard: one feed-forward sublayer a layer, heads of one size", 4},
    {"log-length-scaling", KEY_LOG_LENGTH, NULL, 0, "scale scores by ln(n+1) at run time", 4},
    {"tolerance", KEY_TOLERANCE, "ERROR", 0, "the greatest certified error to accept", 4},
    {"table-limit", KEY_TABLE_LIMIT, "N", 0,
     "most values of one s-op, and rows of one table (default: 65536)", 7},
    {"time-limit", KEY_TIME_LIMIT, "SECONDS", 0, "give up compiling after this time", 7},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    TargetOptions *o = state->input;
    if (key > KEY_ALPHABET - 1 && key < KEY_TIME_LIMIT) o->given = true;
    switch (key) {
    case KEY_ALPHABET:
        o->alphabet = text;
        return 0;
    case KEY_LENGTH:
        o->max_length = (uint32_t)option_number(state, "--max-length", text, 1);
        if (o->max_length > LONGEST)
            argp_error(state, "--max-length expects at most %d, found '%s'", LONGEST, text);
        return 0;
    case KEY_FIRST:
        o->first = text;
        return 0;
    case KEY_WHERE:
        o->where = text;
        return 0;
    case KEY_DTYPE:
        o->dtype = (CompileDtype)option_word(state, "--dtype", text, compile_dtype_names);
        return 0;
    case KEY_MASK:
        o->masks = (MaskRule)option_word(state, "--mask", text, compile_mask_names);
        return 0;
    case KEY_LAYOUT:
        o->layout = (CompileLayout)option_word(state, "--layout", text, compile_layout_names);
        return 0;
    case KEY_LOG_LENGTH:
        o->log_length = true;
        return 0;
    case KEY_TOLERANCE:
        o->tolerance = option_positive(state, "--tolerance", text);
        return 0;
    case KEY_TABLE_LIMIT:
        o->table_limit = (uint32_t)option_number(state, "--table-limit", text, 2);
        return 0;
    case KEY_TIME_LIMIT:
        o->time_limit = option_positive(state, "--time-limit", text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp target_options = {.options = table, .parser = parse};

/* --- the magic comment --------------------------------------------------------------------- */

typedef struct Setting {
    const char *text; /* NULL: nothing said */
    const char *label;
    Span span; /* in the program, or SPAN_NONE: from the command line */
} Setting;

typedef struct Chooser {
    Program *program;
    Target *target;
    const Pragma *pragmas;
    size_t pragma_count;
} Chooser;

static int refuse(const Chooser *c, const Setting *setting, const char *error) {
    if (!*error) return EXIT_NO_FILE;
    if (setting->span.end == 0) {
        report_error("%s: %s", setting->label, error);
        return EXIT_WRONG_USE;
    }
    diag_error(&report_sink, session_sources(c->program->session), setting->span, "%s: %s",
               setting->label, error);
    return EXIT_WRONG_PROGRAM;
}

static Setting setting_of(const Chooser *c, const char *text, const char *key) {
    Setting setting = {.text = text, .label = arena_format(c->program->arena, "--%s", key)};
    for (size_t k = 0; !text && k < c->pragma_count; k++)
        if (strcmp(c->pragmas[k].key, key) == 0)
            setting = (Setting){c->pragmas[k].value, key, c->pragmas[k].span};
    return setting;
}

/* A word that nobody reads is a misspelt one. */
static void warn_unknown(const Chooser *c) {
    static const char *const known[] = {"alphabet", "max-length", "first", "where"};
    enum { KNOWN = sizeof known / sizeof *known };
    for (size_t k = 0; k < c->pragma_count; k++) {
        const char *key = c->pragmas[k].key;
        bool found = false;
        for (int w = 0; w < KNOWN; w++) found |= strcmp(known[w], key) == 0;
        const char *text =
            arena_format(c->program->arena, "no setting '%s' in a magic comment%s", key,
                         found ? "" : near_words(c->program->arena, key, known, KNOWN));
        Diag diag = {.severity = DIAG_WARNING, .span = c->pragmas[k].span, .message = text};
        if (!found) diag_report(&report_sink, session_sources(c->program->session), &diag);
    }
}

/* --- settings ------------------------------------------------------------------------------ */

enum { ERROR_SIZE = 512 };

static int choose_alphabet(Chooser *c, const char *text) {
    Setting setting = setting_of(c, text, "alphabet");
    AlphabetText alphabet = {setting.text, setting.span.end == 0};
    CompileOptions *o = &c->target->record.options;
    char error[ERROR_SIZE];
    if (!setting.text) alphabet.text = "abcdefghijklmnopqrstuvwxyz";
    o->alphabet = alphabet_read(alphabet, session_intern(c->program->session), c->program->arena,
                                &o->alphabet_size, error, sizeof error);
    return o->alphabet ? EXIT_FINE : refuse(c, &setting, error);
}

static int choose_length(Chooser *c, uint32_t given) {
    Setting setting = setting_of(c, NULL, "max-length");
    CompileOptions *o = &c->target->record.options;
    char *end;
    if (given) o->max_length = given;
    if (given || !setting.text) return EXIT_FINE;
    unsigned long value = strtoul(setting.text, &end, 10);
    if (*end || *setting.text == '-' || value < 1 || value > LONGEST)
        return refuse(c, &setting,
                      arena_format(c->program->arena,
                                   "expected a whole number from 1 to %d, found '%s'", LONGEST,
                                   setting.text));
    o->max_length = (uint32_t)value;
    return EXIT_FINE;
}

static int choose_first(Chooser *c, const char *text) {
    Setting setting = setting_of(c, text, "first");
    CompileOptions *o = &c->target->record.options;
    char error[ERROR_SIZE];
    if (!setting.text) return EXIT_FINE;
    o->first =
        alphabet_find(o->alphabet, o->alphabet_size, setting.text,
                      session_intern(c->program->session), c->program->arena, error, sizeof error);
    return o->first >= 0 ? EXIT_FINE : refuse(c, &setting, error);
}

static int evaluate_where(Program *p, const char *text, const Setting *setting, Record *record) {
    Value value;
    if (!session_evaluate(p->session, setting->label, text, &value)) return EXIT_WRONG_PROGRAM;
    if (value.kind != VALUE_SOP) {
        Chooser c = {.program = p};
        return refuse(&c, setting, "expected an s-op, found another value");
    }
    record->where = text;
    record->options.where = value.object->node;
    return EXIT_FINE;
}

static int choose_where(Chooser *c, const char *text) {
    Setting setting = setting_of(c, text, "where");
    if (!setting.text) return EXIT_FINE;
    return evaluate_where(c->program, setting.text, &setting, &c->target->record);
}

static int choose_domain(Chooser *c, const TargetOptions *o) {
    int status = choose_alphabet(c, o->alphabet);
    if (status == EXIT_FINE) status = choose_length(c, o->max_length);
    if (status == EXIT_FINE) status = choose_first(c, o->first);
    if (status == EXIT_FINE) status = choose_where(c, o->where);
    return status;
}

/* --- outputs ------------------------------------------------------------------------------- */

/* The texts that the program loaded: those behind its own.  Before any other text is added. */
static void list_loaded(Program *p, Record *record) {
    const SourceMap *map = session_sources(p->session);
    const Source *program = session_program(p->session), *last = program;
    size_t room = 0;
    FileText *loaded = NULL;
    for (;;) {
        uint32_t next = last->base + last->length + 1;
        const Source *source = source_find(map, (Span){next, next});
        if (source == last) break;
        loaded = arena_grow(p->arena, loaded, &room, record->loaded_count + 1, sizeof *loaded);
        loaded[record->loaded_count++] = (FileText){source->name, source->text, source->length};
        last = source;
    }
    record->loaded = loaded;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int choose_outputs(Program *p, const SopChoice *choice, Target *target) {
    size_t count;
    const Sop *sops = program_sops(p, choice, &count);
    if (!sops) return EXIT_WRONG_PROGRAM;
    Record *r = &target->record;
    const char **names = ARENA_ARRAY(p->arena, count, const char *);
    target->outputs = ARENA_ARRAY(p->arena, count, CompileOutput);
    for (size_t k = 0; k < count; k++) {
        names[k] = sops[k].name;
        target->outputs[k] = (CompileOutput){sops[k].name, sops[k].node};
        for (size_t j = 0; j < k; j++)
            if (strcmp(names[j], names[k]) == 0) {
                report_error("--sop: '%s' stands twice", names[k]);
                return EXIT_WRONG_USE;
            }
    }
    target->output_count = (uint32_t)count;
    r->expression = choice->expression;
    if (choice->count || choice->all) r->names = names, r->name_count = count;
    return EXIT_FINE;
}

int target_choose(Program *p, const SopChoice *choice, const TargetOptions *o, Target *target) {
    const Source *source = session_program(p->session);
    Chooser c = {.program = p, .target = target};
    *target = (Target){.record = {.options = compile_options()}, .time_limit = o->time_limit};
    Record *r = &target->record;
    r->program = (FileText){base_name(source->name), source->text, source->length};
    c.pragmas = pragma_read(source, p->arena, &c.pragma_count);
    warn_unknown(&c);
    list_loaded(p, r);
    r->options.dtype = o->dtype;
    r->options.masks = o->masks;
    r->options.layout = o->layout;
    r->options.log_length = o->log_length;
    r->options.tolerance = o->tolerance;
    if (o->table_limit) r->options.table_limit = o->table_limit;
    int status = choose_outputs(p, choice, target);
    return status == EXIT_FINE ? choose_domain(&c, o) : status;
}

int target_recall(Program *p, const Record *record, Target *target) {
    SopChoice choice = {.expression = record->expression, .count = record->name_count};
    const char **names = ARENA_ARRAY(p->arena, record->name_count + 1, const char *);
    for (size_t k = 0; k < record->name_count; k++) names[k] = record->names[k];
    choice.names = names;
    *target = (Target){.record = *record};
    int status = choose_outputs(p, &choice, target);
    if (status != EXIT_FINE || !record->where) return status;
    return evaluate_where(p, record->where, &(Setting){.label = "--where"}, &target->record);
}

/* --- compiling ----------------------------------------------------------------------------- */

static void report_lower_error(Program *p, const LowerError *error) {
    const Graph *graph = session_graph(p->session);
    const Node *node = error->node == NODE_NONE ? NULL : graph_node(graph, error->node);
    const char *text = node ? graph_text(graph, error->node, 100, p->arena) : "the program";
    if (node && node->name) text = node->name->text;
    diag_error(&report_sink, session_sources(p->session), node ? node->span : SPAN_NONE,
               node ? "cannot compile '%s': %s" : "cannot compile %s: %s", text, error->message);
}

/* The guard has been left by a jump. */
static int stopped(Program *p, const Target *target) {
    if (!timer_stop()) budget_stop(&p->budget, p->budget.stop);
    report_error("not compiled within the time limit of %g s (--time-limit raises it; a smaller "
                 "alphabet or --max-length needs less)",
                 target->time_limit);
    return EXIT_FAILED;
}

int target_compile(Program *p, const Target *target, Arena *arena, Compiled *compiled,
                   double *seconds) {
    BudgetGuard guard;
    LowerError error = {0};
    double start = timer_now();
    if (!BUDGET_ENTER(&p->budget, &guard)) return stopped(p, target);
    timer_start(target->time_limit);
    bool done = compile_graph(session_graph(p->session), target->outputs, target->output_count,
                              &target->record.options, arena, compiled, &error);
    budget_leave(&p->budget, &guard);
    timer_stop();
    *seconds = timer_now() - start;
    if (!done) report_lower_error(p, &error);
    return done ? EXIT_FINE : EXIT_FAILED;
}
