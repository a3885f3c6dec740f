/* What the text shows of a program, against all inputs of small domains: what is said is so.  The
 * interpreter is the judge, and programs with other numbers for the positions; which fragments a
 * program is in, a table that follows from the theory.
 *
 *     RASP_SEED=7 RASP_PROGRAMS=5000 build/release/unit/test_facts
 *
 * Runs in the project's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/rasp_facts.h"
#include "api/target.h"
#include "compile/compile.h"
#include "interp/exec/exec.h"

#define program_text random_program_text /* api/program.h has one, too */
#include "tests/unit/random_program.h"
#undef program_text

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 300 };
#else
enum { PROGRAMS = 3000 };
#endif
enum { MOST_INPUTS = 400, MOST_TOKENS = 4 };

/* --- all inputs ---------------------------------------------------------------------------- */

typedef struct Answer {
    const Atom *tokens;
    uint32_t n, number; /* in base `alphabet`, the first token the most significant digit */
    Exec *exec;
    const Column *column; /* of the s-op; NULL: it has no answer, or the input is excluded */
} Answer;

typedef struct Trial {
    RaspProgram *program;
    RaspSop sop;
    RaspTarget wanted;
    const char *text; /* for messages */
    /* what is asked by whoever judges: */
    Arena *arena;
    Graph *graph;
    const CompileOptions *options;
    Facts facts;
    Answer *answers;
    uint32_t answer_count;
    char wrong[512];
} Trial;

static size_t judged, not_judged,
    said[9]; /* causal, positions 0 … 3, unique, counting, moves, asks */

static void complain(Trial *t, const char *what, NodeId node) {
    if (t->wrong[0]) return;
    snprintf(t->wrong, sizeof t->wrong, "%s: %s", what,
             node == NODE_NONE ? "" : graph_text(t->graph, node, 200, t->arena));
}

static const Column *answer(Trial *t, const Answer *a, NodeId root) {
    Fault fault;
    const CompileOptions *o = t->options;
    if (o->first >= 0 && !atom_same(a->tokens[0], o->alphabet[o->first])) return NULL;
    if (o->where != NODE_NONE) {
        const Column *where = exec_column(a->exec, o->where, &fault);
        for (uint32_t i = 0; where && i < a->n; i++)
            if (!atom_truth(column_at(where, i))) where = NULL;
        if (!where) return NULL;
    }
    return exec_column(a->exec, root, &fault);
}

static Exec *exec_of(Trial *t, const Atom *tokens, uint32_t n) {
    Input *input = ARENA_NEW(t->arena, Input);
    *input = (Input){.tokens = tokens, .length = n, .is_string = true};
    return exec_new(t->graph, input,
                    (ExecOptions){.plan = EXEC_PLAN_NAIVE, .keep = true, .threads = 1}, t->arena);
}

static void answer_all(Trial *t) {
    const CompileOptions *o = t->options;
    t->answers = ARENA_ARRAY(t->arena, MOST_INPUTS + 1, Answer);
    for (uint32_t n = 1, all = o->alphabet_size; n <= o->max_length; n++, all *= o->alphabet_size)
        for (uint32_t number = 0; number < all; number++) {
            Atom *tokens = ARENA_ARRAY(t->arena, n, Atom);
            for (uint32_t i = n, rest = number; i-- > 0; rest /= o->alphabet_size)
                tokens[i] = o->alphabet[rest % o->alphabet_size];
            Answer *a = &t->answers[t->answer_count++];
            *a = (Answer){tokens, n, number, exec_of(t, tokens, n), NULL};
            a->column = answer(t, a, t->sop.node);
        }
}

static const Answer *find_answer(const Trial *t, uint32_t n, uint32_t number) {
    uint32_t before = 0, all = 1;
    for (uint32_t k = 1; k < n; k++) before += all *= t->options->alphabet_size;
    return &t->answers[before + number];
}

/* --- facts of the whole -------------------------------------------------------------------- */

static void judge_causal(Trial *t) {
    uint32_t symbols = t->options->alphabet_size;
    Atom *seen = ARENA_ARRAY(t->arena, MOST_INPUTS + 1, Atom);
    bool *is_seen = ARENA_ARRAY(t->arena, MOST_INPUTS + 1, bool);
    for (uint32_t k = 0; k < t->answer_count; k++) {
        const Answer *a = &t->answers[k];
        for (uint32_t i = a->n, number = a->number; a->column && i-- > 0; number /= symbols) {
            size_t prefix = (size_t)(find_answer(t, i + 1, number) - t->answers);
            Atom value = column_at(a->column, i);
            if (is_seen[prefix] && !atom_equal(seen[prefix], value))
                complain(t, "not causal", t->sop.node);
            seen[prefix] = value;
            is_seen[prefix] = true;
        }
    }
}

/* Neighbours exchanged; such steps make every permutation. */
static void judge_permuted(Trial *t) {
    uint32_t symbols = t->options->alphabet_size;
    for (uint32_t k = 0; k < t->answer_count; k++) {
        const Answer *a = &t->answers[k];
        for (uint32_t i = 0, unit = 1; a->column && i + 1 < a->n; i++, unit *= symbols) {
            uint32_t x = a->number / unit % symbols, y = a->number / (unit * symbols) % symbols;
            uint32_t number =
                a->number - x * unit - y * unit * symbols + y * unit + x * unit * symbols;
            const Answer *other = find_answer(t, a->n, number);
            for (uint32_t p = 0; other->column && p < a->n; p++) {
                uint32_t right = a->n - 1 - i, left = right - 1; /* the digits that moved */
                uint32_t q = p == right ? left : p == left ? right : p;
                if (!atom_equal(column_at(a->column, p), column_at(other->column, q)))
                    complain(t, "not the permuted output", t->sop.node);
            }
        }
    }
}

/* The graph below the root with something else for the numbers of positions. */
static NodeId renumber(Trial *t, NodeId positions) {
    Graph *g = t->graph;
    uint32_t count = t->sop.node + 1;
    NodeId *image = ARENA_ARRAY(t->arena, count, NodeId);
    bool *needed = graph_needed(g, &t->sop.node, 1, t->arena);
    for (NodeId id = 0; id < count; id++) {
        Node node = *graph_node(g, id);
        NodeId arg[OP_MAX_ARITY];
        image[id] = id;
        if (!needed[id]) continue;
        for (int k = 0; k < node.arity; k++) arg[k] = image[node.arg[k]];
        switch (node.kind) {
        case NODE_INDICES:
            image[id] = positions;
            break;
        case NODE_MAP:
            image[id] = graph_map(g, node.op, arg, node.span);
            break;
        case NODE_LOOKUP:
            image[id] = graph_lookup(g, node.lookup, arg[0], node.span);
            break;
        case NODE_SELECT:
            image[id] = graph_select(g, node.op, arg[0], arg[1], node.span);
            break;
        case NODE_AND:
            image[id] = graph_and(g, arg[0], arg[1], node.span);
            break;
        case NODE_OR:
            image[id] = graph_or(g, arg[0], arg[1], node.span);
            break;
        case NODE_NOT:
            image[id] = graph_not(g, arg[0], node.span);
            break;
        case NODE_AGGREGATE:
            image[id] = graph_aggregate(g, arg[0], arg[1], node.atom, node.span);
            break;
        case NODE_WIDTH:
            image[id] = graph_width(g, arg[0], node.span);
            break;
        default:
            break;
        }
    }
    return image[t->sop.node];
}

static NodeId number(Trial *t, int64_t value) {
    return graph_constant(t->graph, atom_int(value), SPAN_NONE);
}

static NodeId combine(Trial *t, OpId op, NodeId a, NodeId b) {
    return graph_map(t->graph, op, (NodeId[]){a, b}, SPAN_NONE);
}

static void judge_renumbered(Trial *t) {
    NodeId i = graph_indices(t->graph, SPAN_NONE), to = combine(t, OP_ADD, i, number(t, 7));
    if (t->facts.positions == POSITIONS_MASKS ||
        t->facts.positions == POSITIONS_ORDER) /* 5, 8, 15, … */
        to = combine(
            t, OP_ADD, number(t, 5),
            combine(t, OP_MUL, i, combine(t, OP_ADD, combine(t, OP_ADD, i, i), number(t, 1))));
    if (t->facts.positions == POSITIONS_UNUSED) /* 3, -1, -5, … */
        to = combine(t, OP_SUB, number(t, 3), combine(t, OP_MUL, i, number(t, 4)));
    NodeId root = renumber(t, to);
    for (uint32_t k = 0; k < t->answer_count; k++) {
        const Answer *a = &t->answers[k];
        const Column *other = a->column ? answer(t, a, root) : NULL;
        if (a->column && !other) complain(t, "fails with other positions", t->sop.node);
        for (uint32_t p = 0; other && p < a->n; p++)
            if (!atom_equal(column_at(a->column, p), column_at(other, p)))
                complain(t, "differs with other positions", t->sop.node);
    }
}

/* --- facts of selectors -------------------------------------------------------------------- */

static bool fits(Selects selects, uint32_t count, uint32_t n) {
    switch (selects) {
    case SELECTS_ANY:
        return true;
    case SELECTS_SOME:
        return count > 0;
    case SELECTS_AT_MOST_ONE:
        return count <= 1;
    case SELECTS_ONE:
        return count == 1;
    case SELECTS_ALL:
        break;
    }
    return count == n;
}

/* Are the values that a row selects equal? */
static bool row_agrees(const bool *row, const Column *values, uint32_t n) {
    uint32_t first = n;
    for (uint32_t j = 0; j < n; j++) {
        if (!row[j]) continue;
        if (first == n) first = j;
        if (!atom_equal(column_at(values, first), column_at(values, j))) return false;
    }
    return true;
}

static void judge_row(Trial *t, const HeadFact *head, const Answer *a, const bool *row,
                      uint32_t i) {
    uint32_t count = 0;
    Fault fault;
    for (uint32_t j = 0; j < a->n; j++) {
        count += row[j];
        bool allowed = j < i ? head->reach.before : j == i ? head->reach.here : head->reach.after;
        if (row[j] && !allowed) complain(t, "reaches further", head->selector);
    }
    if (!fits(head->selects, count, a->n)) complain(t, "selects another number", head->selector);
    for (uint32_t k = 0; k < head->reader_count; k++) {
        const ReaderFact *reader = &head->readers[k];
        if (reader->use != USE_MOVE) continue;
        NodeId values = graph_node(t->graph, reader->node)->arg[1];
        const Column *column = exec_column(a->exec, values, &fault);
        if (!column || !row_agrees(row, column, a->n)) complain(t, "mixes", reader->node);
    }
}

static void judge_heads(Trial *t) {
    for (uint32_t k = 0; k < t->answer_count; k++) {
        const Answer *a = &t->answers[k];
        for (uint32_t h = 0; a->column && h < t->facts.head_count; h++) {
            Fault fault;
            const bool *matrix = exec_matrix(a->exec, t->facts.heads[h].selector, &fault);
            for (uint32_t i = 0; matrix && i < a->n; i++)
                judge_row(t, &t->facts.heads[h], a, matrix + (size_t)i * a->n, i);
        }
    }
}

/* --- what is only asked -------------------------------------------------------------------- */

enum { MOST_LEAVES = 64 };

/* What an elementwise expression is built on. */
static void gather_leaves(const Graph *graph, NodeId id, NodeId *leaf, uint32_t *count) {
    const Node *node = graph_node(graph, id);
    if (node->kind == NODE_MAP || node->kind == NODE_LOOKUP) {
        for (int k = 0; k < node->arity; k++) gather_leaves(graph, node->arg[k], leaf, count);
        return;
    }
    for (uint32_t k = 0; k < *count; k++)
        if (leaf[k] == id) return;
    if (*count < MOST_LEAVES) leaf[(*count)++] = id;
}

/* Does the reader give one value for each setting of its other leaves and "is it that number"? */
static bool only_asks(Trial *t, NodeId reader, NodeId result, double wanted) {
    NodeId leaf[MOST_LEAVES];
    uint32_t count = 0, known = 0;
    bool reads = false;
    gather_leaves(t->graph, reader, leaf, &count);
    for (uint32_t k = 0; k < count; k++) reads |= leaf[k] == result;
    if (!reads) return true;
    Atom *seen = ARENA_ARRAY(t->arena, (size_t)MOST_INPUTS * 8 * (count + 1), Atom);
    for (uint32_t k = 0; k < t->answer_count; k++) {
        const Answer *a = &t->answers[k];
        for (uint32_t i = 0; a->column && i < a->n; i++) {
            Atom *row = seen + (size_t)known * (count + 1);
            Fault fault;
            for (uint32_t l = 0; l < count; l++) {
                row[l] = column_at(exec_column(a->exec, leaf[l], &fault), i);
                if (leaf[l] == result) row[l] = atom_bool(atom_double(row[l]) == wanted);
            }
            row[count] = column_at(exec_column(a->exec, reader, &fault), i);
            uint32_t m = 0, same = 0;
            for (; m < known && same < count; m++)
                for (same = 0; same < count; same++)
                    if (!atom_equal(seen[(size_t)m * (count + 1) + same], row[same])) break;
            if (same < count || known == 0)
                known++;
            else if (!atom_equal(seen[(size_t)(m - 1) * (count + 1) + count], row[count]))
                return false;
        }
    }
    return true;
}

static bool all_ask(Trial *t, NodeId result, double wanted) {
    bool *needed = graph_needed(t->graph, &t->sop.node, 1, t->arena);
    if (!only_asks(t, t->sop.node, result, wanted)) return false;
    for (NodeId id = 0; id <= t->sop.node; id++) {
        Node node = *graph_node(t->graph, id);
        bool compares = node.kind == NODE_SELECT;
        if (!needed[id] || (!compares && node.kind != NODE_AGGREGATE)) continue;
        if (compares && !only_asks(t, node.arg[0], result, wanted)) return false;
        if (!only_asks(t, node.arg[1], result, wanted)) return false;
    }
    return true;
}

static void judge_asking(Trial *t) {
    for (uint32_t h = 0; h < t->facts.head_count; h++)
        for (uint32_t k = 0; k < t->facts.heads[h].reader_count; k++) {
            const ReaderFact *reader = &t->facts.heads[h].readers[k];
            Selects selects = t->facts.heads[h].selects;
            said[7] += reader->use == USE_MOVE;
            said[8] += reader->use == USE_ASK;
            if (reader->use != USE_ASK) continue;
            bool few =
                reader->is_width && (selects == SELECTS_AT_MOST_ONE || selects == SELECTS_ONE);
            if (!few && !all_ask(t, reader->node, 0) &&
                (reader->is_width || !all_ask(t, reader->node, 1)))
                complain(t, "asks for more", reader->node);
        }
}

/* --- one program --------------------------------------------------------------------------- */

static bool judge(Core *core, void *context) {
    Trial *t = context;
    Target target;
    LowerError error;
    if (!target_choose(t->program, &t->sop, 1, &t->wanted, &target)) return false;
    t->arena = arena_child(core->arena);
    t->graph = session_graph(t->program->session);
    t->options = &target.record.options;
    if (compile_facts(t->graph, t->sop.node, t->options, t->arena, &t->facts, &error)) {
        judged++;
        said[0] += t->facts.causal;
        if (t->facts.positions < POSITIONS_NUMBERS) said[1 + t->facts.positions]++;
        said[5] += t->facts.unique;
        said[6] += t->facts.counting;
        answer_all(t);
        if (t->facts.causal) judge_causal(t);
        if (t->facts.positions == POSITIONS_UNUSED) judge_permuted(t);
        judge_heads(t);
        judge_asking(t);
        if (t->facts.positions != POSITIONS_NUMBERS) judge_renumbered(t);
    } else {
        not_judged++;
    }
    arena_free(t->arena);
    return true;
}

/* The longest inputs of which there are not too many. */
static uint32_t fitting_length(size_t symbols, uint32_t most) {
    size_t inputs = 0, all = 1;
    for (uint32_t n = 1; n <= most; n++) {
        inputs += all *= symbols;
        if (inputs > MOST_INPUTS) return n - 1;
    }
    return most;
}

static void judge_program(RaspProgram *program, const RaspTarget *wanted, const char *text) {
    Trial t = {.program = program, .wanted = *wanted, .text = text};
    RaspError error = {0};
    RaspSop where;
    if (!rasp_program_sop(program, NULL, &t.sop, &error) ||
        (wanted->where && !rasp_program_sop(program, wanted->where, &where, &error)))
        return; /* it assigns a constant */
    if (!core_call(&program->core, &error, RASP_FAILED, judge, &t))
        fail_msg("%s: %s", text, error.text);
    if (t.wrong[0]) fail_msg("%s\n%s", text, t.wrong);
}

static void report(void) {
    print_message("%zu programs (%zu not said of): causal %zu, positions unused %zu, masks %zu, "
                  "order %zu, distance %zu, unique %zu, counting %zu; moves %zu, asks %zu\n",
                  judged, not_judged, said[0], said[1], said[2], said[3], said[4], said[5], said[6],
                  said[7], said[8]);
}

/* --- programs ------------------------------------------------------------------------------ */

static RaspProgram *load(const char *path, const char *text) {
    RaspError error;
    RaspSource source = {.path = path, .text = text, .length = text ? strlen(text) : 0};
    RaspProgram *program = rasp_program_load(&source, NULL, &error);
    if (!program) fail_msg("%s: %s", path, error.text);
    return program;
}

static void test_bundled(void **state) {
    (void)state;
    glob_t found;
    assert_int_equal(glob("programs/*/*.rasp", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 80);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        RaspProgram *program = load(found.gl_pathv[k], NULL);
        RaspSop sop;
        RaspFacts facts;
        RaspError error;
        assert_true(rasp_program_sop(program, NULL, &sop, &error));
        if (!rasp_program_facts(program, &sop, &(RaspTarget){.table_limit = 64}, &facts, &error))
            fail_msg("%s: %s", found.gl_pathv[k], error.text);
        size_t symbols = facts.alphabet_size < MOST_TOKENS ? facts.alphabet_size : MOST_TOKENS;
        RaspTarget wanted = {.tokens = facts.alphabet,
                             .token_count = symbols,
                             .max_length = fitting_length(symbols, facts.max_length)};
        judge_program(program, &wanted, found.gl_pathv[k]);
        rasp_program_free(program);
    }
    globfree(&found);
    report();
}

static void judge_random(Chooser *chooser) {
    static RandomProgram random;
    static char text[PROGRAM_TEXT], alphabet[256];
    RaspError error;
    random_program(&random, chooser, 0);
    if (!random_program_text(&random, text, sizeof text)) return;
    RaspSource source = {.path = "random", .text = text, .length = strlen(text)};
    RaspProgram *program = rasp_program_load(&source, &(RaspConfig){.cpu_seconds = 20}, &error);
    if (!program) return;
    RaspTarget wanted = {.alphabet = alphabet_text(&random.alphabet, alphabet, sizeof alphabet),
                         .max_length = fitting_length(random.alphabet.count, random.max_length),
                         .where = random.where >= 0 ? "fine" : NULL,
                         .table_limit = 512};
    judge_program(program, &wanted, text);
    rasp_program_free(program);
}

static void test_random(void **state) {
    (void)state;
    const char *seed = getenv("RASP_SEED"), *count = getenv("RASP_PROGRAMS");
    Chooser chooser = {.random = {seed ? strtoull(seed, NULL, 10) : 1}};
    long programs = count ? atol(count) : PROGRAMS;
    judged = not_judged = 0;
    memset(said, 0, sizeof said);
    for (long k = 0; k < programs; k++) judge_random(&chooser);
    report();
    for (int k = 0; k < 9; k++) assert_true(said[k] > 0 || programs < PROGRAMS || PROGRAMS < 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bundled),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
