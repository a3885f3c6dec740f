/* `rasp generate`: random programs with their transformers. */
#include "cli/command.h"

#include "base/random.h"
#include "base/table.h"
#include "cli/generate_output.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "cli/target.h"

#include <stdlib.h>
#include <string.h>

typedef struct Arguments {
    Common common;
    TargetOptions target;
    RaspRandomOptions random;
    uint64_t count;
    Shard shard;
    Library library;
} Arguments;

enum { KEY_SEED = OPTION_OWN_KEYS, KEY_COUNT, KEY_LAYERS, KEY_HEADS, KEY_STEPS, KEY_LINES };

static const struct argp_option options[] = {
    {"seed", KEY_SEED, "N", 0, "the same seed, the same programs (default: 1)", 1},
    {"count", KEY_COUNT, "N", 0,
     "programs that behave differently (default: 1); fewer are written if the compiler refuses one",
     1},
    {"layers", KEY_LAYERS, "N", 0, "attention layers that each needs, exactly (default: 2)", 2},
    {"heads", KEY_HEADS, "N", 0, "heads of each, exactly (default: any number)", 2},
    {"steps", KEY_STEPS, "N", 0, "most statements (default: 4, and 4 a layer)", 2},
    {"output", 'o', "DIR", 0,
     "write there each program, its weights and its circuit, and programs.jsonl, which lists them",
     5},
    {"jsonl", KEY_LINES, "FILE", 0,
     "write one line of JSON a program, with source, weights (base64) and circuit; - is standard "
     "output",
     5},
    {"shard", OPTION_KEY_SHARD, "K/N", 0,
     "the K-th of N pieces of the same programs: those whose behaviour falls to it", 6},
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Make random programs that look like ones people write, of a given depth, and compile each to "
    "a "
    "certified transformer: data for those who train on such things.\v"
    "Programs are well typed and made of named steps, of which each is read, none is constant and "
    "no two are equal; the result depends on the tokens.  Two that give the same answers on a "
    "fixed "
    "sample of inputs (all of them if they are few) count as one.  The default alphabet is abcd, "
    "the default length 8.  Ctrl-C keeps what is done.\n\n"
    "Without -o and --jsonl the sources are printed.  A seed and the options give the same "
    "programs, numbers and files on every machine, in one piece or in several.\n\n"
    "Examples:\n"
    "  rasp generate --count 3\n"
    "  rasp generate --seed 1 --count 10000 --layers 2 --heads 3 -o programs\n"
    "  rasp generate --alphabet 01 --max-length 10 --jsonl - | gzip > data.gz";

/* --- the command line ------------------------------------------------------------------- */

static uint64_t read_seed(struct argp_state *state, const char *text) {
    char *end;
    uint64_t seed = strtoull(text, &end, 10);
    if (end == text || *end || strspn(text, "0123456789") < strlen(text))
        argp_error(state, "--seed expects a whole number, found '%s'", text);
    return seed;
}

static error_t settle(struct argp_state *state, Arguments *a) {
    if (a->library.folder && a->library.lines)
        argp_error(state, "-o and --jsonl exclude one another");
    a->random.target = a->target.target;
    return 0;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    Arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->target;
        return 0;
    case KEY_SEED:
        a->random.seed = read_seed(state, text);
        return 0;
    case KEY_COUNT:
        a->count = (uint64_t)option_number(state, "--count", text, 1);
        return 0;
    case KEY_LAYERS:
        a->random.layers = (uint32_t)option_number(state, "--layers", text, 1);
        return 0;
    case KEY_HEADS:
        a->random.heads = (uint32_t)option_number(state, "--heads", text, 1);
        return 0;
    case KEY_STEPS:
        a->random.steps = (uint32_t)option_number(state, "--steps", text, 1);
        return 0;
    case 'o':
        a->library.folder = text;
        return 0;
    case KEY_LINES:
        a->library.lines = text;
        return 0;
    case OPTION_KEY_SHARD:
        a->shard = option_shard(state, text);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "expected options alone, found '%s'", text);
        return 0;
    case ARGP_KEY_END:
        return settle(state, a);
    default:
        return option_common(key, text, state, &a->common);
    }
}

/* --- which behave alike ----------------------------------------------------------------- */

typedef struct Behaviours {
    uint64_t *hashes;
    size_t count, room;
    Table table;
} Behaviours;

static uint64_t hash_of(const void *entries, uint32_t entry) {
    return ((const uint64_t *)entries)[entry];
}

/* Is it new?  Then it is known from now on. */
static bool behaviours_add(Behaviours *b, uint64_t hash) {
    Arena *arena = command_arena();
    if (table_full(&b->table, b->count)) table_grow(&b->table, arena, b->count, hash_of, b->hashes);
    size_t at = table_start(&b->table, hash);
    for (uint32_t k; (k = table_entry(&b->table, at)) != TABLE_NONE; at = table_next(&b->table, at))
        if (b->hashes[k] == hash) return false;
    b->hashes = arena_grow(arena, b->hashes, &b->room, b->count + 1, sizeof *b->hashes);
    b->hashes[b->count] = hash;
    table_put(&b->table, at, b->count++);
    return true;
}

/* --- making ----------------------------------------------------------------------------- */

typedef struct Maker {
    const Arguments *arguments;
    RaspConfig config;
    Library library;
    Behaviours known;
    size_t written, refused;
    size_t nothing, alike; /* seeds in a row of which nothing came, or nothing new */
    char reason[256];      /* why the last one was refused */
} Maker;

/* A refusal of the compiler is no failure of the command: memory is a limit, too, of which a
 * program in some thousands wants more. */
static bool is_refusal(RaspStatus status) {
    return status == RASP_FAILED || status == RASP_WRONG_PROGRAM || status == RASP_OUT_OF_TIME ||
           status == RASP_OUT_OF_MEMORY;
}

static int compile(Maker *m, Made *made, RaspProgram *program) {
    RaspError error;
    RaspSop result;
    RaspCompileStats stats;
    if (!rasp_program_sop(program, NULL, &result, &error)) return report_failure(&error);
    RaspTarget target = m->arguments->random.target;
    if (!target.alphabet) target.alphabet = "abcd";
    if (!target.max_length) target.max_length = 8;
    made->model = rasp_compile(program, &result, 1, &target, &error);
    if (made->model) {
        rasp_model_compile_stats(made->model, &stats);
        if (stats.depth == made->info.layers) return library_add(&m->library, made);
        snprintf(error.text, sizeof error.text, "it needs %u layers", stats.depth);
    } else if (!is_refusal(error.status)) {
        return report_failure(&error);
    }
    m->refused++;
    snprintf(m->reason, sizeof m->reason, "%.200s", error.text);
    return EXIT_FINE;
}

/* Compiles one of this piece. */
static int make_one(Maker *m, Made *made) {
    RaspError error;
    RaspConfig quiet = m->config;
    quiet.report = NULL;
    const char *name =
        arena_format(command_arena(), "%06llu.rasp", (unsigned long long)made->number);
    RaspSource source = {.path = name, .text = made->text, .length = strlen(made->text)};
    RaspProgram *program = rasp_program_load(&source, &quiet, &error);
    if (!program) return report_failure(&error);
    size_t refused = m->refused;
    int status = compile(m, made, program);
    m->written += status == EXIT_FINE && m->refused == refused;
    rasp_model_free(made->model);
    rasp_program_free(program);
    return status;
}

static bool is_own(const Maker *m, uint64_t behaviour) {
    Shard shard = m->arguments->shard;
    return shard.of == 0 || random_mix(behaviour) % shard.of == shard.number;
}

/* Is there hope for more?  An exit status: of seeds in a row that gave nothing, or nothing new; it
 * is given up sooner where nothing ever came. */
static int still_hopes(Maker *m, const char *text, bool new, const RaspError *error) {
    enum { NOTHING_YET = 4, NOTHING_MORE = 50, ALIKE = 300 };
    size_t patience = m->known.count ? NOTHING_MORE : NOTHING_YET;
    m->nothing = text ? 0 : m->nothing + 1;
    m->alike = new || !text ? 0 : m->alike + 1;
    if (!text && (error->status != RASP_FAILED || m->nothing == patience))
        return report_failure(error);
    if (m->alike < ALIKE) return EXIT_FINE;
    report_error("the last %d programs behave like earlier ones: no more than %zu were found",
                 ALIKE, m->known.count);
    return EXIT_FAILED;
}

/* The programs of seed, seed + 1 and so on, as long as there are new ones among them. */
static int make_all(Maker *m) {
    RaspRandomOptions random = m->arguments->random;
    int status = EXIT_FINE;
    while (m->known.count < m->arguments->count && status == EXIT_FINE) {
        RaspError error;
        Made made = {.seed = random.seed};
        char *text = rasp_random_program(&random, &m->config, &made.info, &error);
        bool new = text &&behaviours_add(&m->known, made.info.behaviour);
        made.text = text;
        made.number = m->known.count;
        status = still_hopes(m, text, new, &error);
        if (new &&is_own(m, made.info.behaviour)) status = make_one(m, &made);
        rasp_free(text);
        random.seed++;
        progress_item(m->known.count, 0);
    }
    return status;
}

static void say_what_is_done(const Maker *m, int status) {
    const char *written = grouped(m->written);
    if (status == EXIT_INTERRUPTED)
        report_note("%s written; %s of %s were looked at", written, grouped(m->known.count),
                    grouped(m->arguments->count));
    else if (m->refused)
        report_note("%s written; the compiler refused %s, the last one: %s", written,
                    grouped(m->refused), m->reason);
}

int cmd_generate(int argc, char **argv) {
    static const struct argp_child children[] = {{&target_options, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options, .parser = parse, .doc = help, .children = children};
    Arguments arguments = {.random = {.seed = 1}, .count = 1};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    Maker maker = {.arguments = &arguments,
                   .config = report_config(arguments.common.memory),
                   .library = arguments.library};
    int status = library_open(&maker.library, arguments.shard);
    if (status != EXIT_FINE) return status;
    progress_start();
    status = make_all(&maker);
    progress_end();
    say_what_is_done(&maker, status);
    int closed = library_close(&maker.library);
    return status == EXIT_FINE ? closed : status;
}
