/* The circuits of the bundled programs, judged by ablation: each head, hidden unit, column and edge
 * is set to zero or to what it is on another input, and what changes in the residual stream must be
 * what the circuit says is downstream, and nothing else. */
#include "tests/unit/circuit_runs.h"

#include <glob.h>

enum { INPUTS = 96, TRIES = 400, LONGEST = 8, USUAL = 6, EXAMPLES = 12 };

/* Beyond the rounding of weights to float, which clearing leaves behind. */
static bool differs(double a, double b) {
    return fabs(a - b) > 1e-6 * fmax(1, fabs(a));
}

/* --- what changed --------------------------------------------------------------------------- */

static bool dim_changed(const Run *clean, const Run *run, uint32_t step, uint32_t dim) {
    size_t width = clean->subject->circuit->width;
    for (size_t i = 0; i <= clean->n; i++) {
        double a = clean->stream[step][i * width + dim], b = run->stream[step][i * width + dim];
        if (differs(a, b)) return true;
    }
    return false;
}

static bool column_changed(const Run *clean, const Run *run, uint32_t column) {
    for (size_t i = 1; i <= clean->n; i++)
        if (differs(clean->value[column][i], run->value[column][i])) return true;
    return false;
}

/* Does some dimension that is about to be cleared hold less than its column can? */
static bool is_below(const Run *run) {
    const RaspCircuit *c = run->subject->circuit;
    for (size_t k = 0; k < c->clear_count; k++) {
        const RaspCircuitColumn *column = &c->columns[c->clears[k].column];
        for (size_t i = 1; i <= run->n; i++)
            if (run->stream[column->cleared - 1][i * c->width + column->dim] <
                c->clears[k].least - 1e-6)
                return true;
    }
    return false;
}

/* --- what may change ------------------------------------------------------------------------ */

typedef struct Claim {
    bool *columns, *outputs; /* downstream, what was changed included */
    bool below;
} Claim;

static void mark_change(const RaspCircuit *c, const Change *change, Claim *claim) {
    uint32_t k = change->index;
    if (change->what == CHANGE_COLUMN) claim->columns[k] = true;
    if (change->what == CHANGE_HEAD)
        for (size_t j = 0; j < c->heads[k].component_count; j++)
            claim->columns[c->heads[k].components[j].column] = true;
    if (change->what == CHANGE_UNIT)
        for (size_t f = 0; f < c->tables[k].function_count; f++)
            if (c->tables[k].functions[f].factors[change->unit] != 0)
                claim->columns[c->tables[k].functions[f].column] = true;
    if (change->what != CHANGE_EDGE) return;
    const RaspCircuitEdge *edge = &c->edges[k];
    for (size_t j = 0; j < edge->change_count; j++) claim->columns[edge->changes[j]] = true;
    if (edge->role == RASP_ROLE_OUTPUT) claim->outputs[c->nodes[edge->to].index] = true;
}

/* May the dimension be another one after the step? */
static bool may_change(const RaspCircuit *c, const Change *change, const Claim *claim,
                       uint32_t step, uint32_t dim) {
    const RaspCircuitEdge *edge = edge_of(change);
    for (size_t k = 0; k < c->column_count; k++) {
        const RaspCircuitColumn *column = &c->columns[k];
        /* What clearing leaves stands in the dimension before the next column does. */
        bool left = edge && edge->role == RASP_ROLE_CLEAR && edge->column == k;
        if ((left || (claim->below && claim->columns[k])) && column->dim == dim &&
            column->cleared != RASP_NONE && step >= column->cleared)
            return true;
        if (!claim->columns[k] || step < column->written) continue;
        for (size_t w = 0; w < column->write_count; w++)
            if (column->writes[w].dim == dim && (dim != column->dim || step < column->cleared))
                return true;
    }
    if (!edge || edge->role != RASP_ROLE_OUTPUT) return false;
    const RaspCircuitOutput *to = &c->outputs[c->nodes[edge->to].index];
    return step == c->nodes[edge->to].step && dim >= to->start && dim < to->start + to->form_count;
}

static const char *change_text(const Change *change) {
    static char text[512];
    static const char *const words[] = {"nothing", "head", "table", "column", "edge"};
    const RaspCircuit *c = change->clean->subject->circuit;
    const RaspCircuitEdge *edge = edge_of(change);
    uint32_t sop = change->what == CHANGE_HEAD     ? c->heads[change->index].selector
                   : change->what == CHANGE_UNIT   ? c->tables[change->index].reads
                   : change->what == CHANGE_COLUMN ? c->columns[change->index].sop
                                                   : c->columns[edge->column].sop;
    snprintf(text, sizeof text, "%s %u unit %u (%s%s%s) %s", words[change->what], change->index,
             change->unit, c->sops[sop].text, edge ? " as " : "",
             edge ? rasp_role_name((int)edge->role) : "", change->donor ? "resampled" : "zeroed");
    return text;
}

static void check_claim(const char *program, const Change *change, const Run *run,
                        const Claim *claim) {
    const RaspCircuit *c = run->subject->circuit;
    for (uint32_t step = 0; step < c->step_count; step++)
        for (uint32_t dim = 0; dim < c->width; dim++)
            if (dim_changed(change->clean, run, step, dim) &&
                !may_change(c, change, claim, step, dim))
                fail_msg("%s: %s: dimension %u changed after step %u", program, change_text(change),
                         dim, step);
}

/* --- what must change ----------------------------------------------------------------------- */

/* What has been seen of one change, over all inputs that were tried. */
typedef struct Seen {
    bool *columns; /* that have changed */
    bool output;   /* of an edge to one */
} Seen;

static void note(const Change *change, const Run *run, Seen *seen) {
    const RaspCircuit *c = run->subject->circuit;
    const RaspCircuitEdge *edge = edge_of(change);
    for (uint32_t k = 0; k < c->column_count; k++) {
        const RaspCircuitColumn *column = &c->columns[k];
        bool now = column_changed(change->clean, run, k);
        if (edge && edge->role == RASP_ROLE_CLEAR)
            now = column->dim != RASP_NONE &&
                  dim_changed(change->clean, run, column->written, column->dim);
        if (change->what == CHANGE_COLUMN || change->what == CHANGE_HEAD)
            for (size_t w = 0; w < column->write_count; w++)
                now |= dim_changed(change->clean, run, column->written, column->writes[w].dim);
        seen->columns[k] |= now;
    }
    if (edge && edge->role == RASP_ROLE_OUTPUT) {
        const RaspCircuitOutput *to = &c->outputs[c->nodes[edge->to].index];
        for (uint32_t f = 0; f < to->form_count; f++)
            seen->output |= dim_changed(change->clean, run, c->nodes[edge->to].step, to->start + f);
    }
}

/* The first column that the change is said to reach directly and has not; RASP_NONE: none. */
static uint32_t missing(const RaspCircuit *c, const Change *change, const Seen *seen,
                        bool *direct) {
    bool output = false;
    memset(direct, 0, c->column_count * sizeof *direct);
    bool *outputs = calloc(c->output_count, sizeof *outputs);
    mark_change(c, change, &(Claim){direct, outputs, false});
    for (size_t o = 0; o < c->output_count; o++) output |= outputs[o];
    free(outputs);
    for (uint32_t k = 0; k < c->column_count; k++)
        if (direct[k] && !seen->columns[k]) return k;
    return output && !seen->output ? 0 : RASP_NONE;
}

/* --- one change, many inputs ---------------------------------------------------------------- */

typedef struct Trial {
    const Subject *subject;
    const char *program; /* path */
    Run *runs[INPUTS];
    Claim claim;
    Seen seen;
    bool *direct;
    size_t changes;
    /* That never change something directly downstream: what is 0 on all inputs; others. */
    size_t zeros, edges;
    char note[700]; /* on the last of these */
} Trial;

static void try_change(Trial *trial, Change change) {
    const RaspCircuit *c = trial->subject->circuit;
    Run *run = run_new(trial->subject, change.clean->tokens, change.clean->n, &change);
    memset(trial->claim.columns, 0, c->column_count * sizeof(bool));
    memset(trial->claim.outputs, 0, c->output_count * sizeof(bool));
    trial->claim.below = is_below(run);
    mark_change(c, &change, &trial->claim);
    rasp_circuit_downstream(c, trial->claim.below, trial->claim.columns, trial->claim.outputs);
    check_claim(trial->program, &change, run, &trial->claim);
    note(&change, run, &trial->seen);
    run_free(run);
}

/* What no input shows.  Zeros: units of values that no input has, as a depth of 7 in 6 brackets,
 * which the compiler's sets of values, being upper bounds, allow for.  The edge: it tells apart
 * what has a count of 0, which is the first token alone, whose position the same table is told. */
static const struct {
    const char *program;
    size_t zeros, edges;
} redundant[] = {{"is-dyck-2", 1, 0},        {"is-dyck-3", 1, 0},
                 {"dyck-2", 1, 0},           {"dyck-3", 1, 0},
                 {"counting", 1, 0},         {"sort-next", 5, 0},
                 {"double-histogram", 2, 0}, {"double-histogram-bos", 2, 1},
                 {"count-distinct", 1, 0},   {"running-maximum", 1, 0}};

static bool is_redundant(const Trial *trial) {
    const char *name = strrchr(trial->program, '/') + 1;
    size_t zeros = 0, edges = 0, length = strlen(name) - strlen(".rasp");
    for (size_t k = 0; k < sizeof redundant / sizeof *redundant; k++)
        if (strlen(redundant[k].program) == length &&
            strncmp(redundant[k].program, name, length) == 0)
            zeros = redundant[k].zeros, edges = redundant[k].edges;
    return trial->zeros <= zeros && trial->edges <= edges;
}

/* Is the unit, or the column, ever another number than 0? */
static bool is_active(const Trial *trial, const Change *change) {
    const RaspCircuit *c = trial->subject->circuit;
    for (size_t k = 0; k < INPUTS; k++) {
        const Run *run = trial->runs[k];
        for (size_t i = 1; i <= run->n; i++) {
            if (change->what == CHANGE_UNIT && unit_of(run, change->index, change->unit, i) > 1e-6)
                return true;
            uint32_t column = change->what == CHANGE_EDGE     ? c->edges[change->index].column
                              : change->what == CHANGE_COLUMN ? change->index
                                                              : RASP_NONE;
            if (column != RASP_NONE && differs(0, run->value[column][i])) return true;
            if (change->what != CHANGE_HEAD) continue;
            for (size_t j = 0; j < c->heads[change->index].component_count; j++)
                if (differs(0, run->value[c->heads[change->index].components[j].column][i]))
                    return true;
        }
    }
    return false;
}

/* Zeroed and resampled, on different inputs, until everything that is directly downstream has
 * been seen to change. */
static void ablate(Trial *trial, Change change) {
    const RaspCircuit *c = trial->subject->circuit;
    uint32_t still = 0;
    memset(trial->seen.columns, 0, c->column_count * sizeof(bool));
    trial->seen.output = false;
    trial->changes++;
    for (size_t k = 0; k < TRIES; k++) {
        change.clean = trial->runs[k % INPUTS];
        change.donor =
            (k + k / INPUTS) % 3 == 2 ? NULL : trial->runs[(k * 7 + 5 + k / INPUTS) % INPUTS];
        change.shift = k % 2 ? k : 0;
        try_change(trial, change);
        still = missing(c, &change, &trial->seen, trial->direct);
        if (still == RASP_NONE && k >= 2) return;
    }
    if (!is_active(trial, &change))
        trial->zeros++;
    else if (change.what == CHANGE_EDGE)
        trial->edges++;
    else
        fail_msg("%s: %s never changes column %u", trial->program, change_text(&change), still);
    snprintf(trial->note, sizeof trial->note, "%s never changes column %u", change_text(&change),
             still);
}

static void ablate_all(Trial *trial) {
    const RaspCircuit *c = trial->subject->circuit;
    for (uint32_t h = 0; h < c->head_count; h++) ablate(trial, (Change){CHANGE_HEAD, .index = h});
    for (uint32_t t = 0; t < c->table_count; t++)
        for (uint32_t u = 0; u < c->tables[t].unit_count; u++)
            ablate(trial, (Change){CHANGE_UNIT, .index = t, .unit = u});
    for (uint32_t k = 0; k < c->column_count; k++)
        ablate(trial, (Change){CHANGE_COLUMN, .index = k});
    for (uint32_t e = 0; e < c->edge_count; e++) ablate(trial, (Change){CHANGE_EDGE, .index = e});
}

/* --- a program ------------------------------------------------------------------------------ */

static uint32_t draw(uint32_t *state, uint32_t below) { /* xorshift32 */
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return *state % below;
}

/* All lengths, most of them long: any tokens; two, at random or by turns; one. */
static size_t draw_tokens(const RaspModelInfo *info, size_t number, uint32_t *state,
                          RaspAtom *tokens) {
    uint32_t most = (uint32_t)info->max_length, size = (uint32_t)info->alphabet_size;
    size_t n = number % 3 ? most : 1 + draw(state, most), kind = draw(state, 6);
    uint32_t two[] = {draw(state, size), draw(state, size)};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t turn = kind == 1 ? i % 2 : kind == 2 ? 0 : draw(state, 2);
        uint32_t token = kind > 3 ? draw(state, size) : kind == 3 ? (two[0] + i) % size : two[turn];
        tokens[i] = info->alphabet[token];
    }
    if (info->first >= 0) tokens[0] = info->alphabet[info->first];
    return n;
}

/* The run on an input of the program's comments, `# example: "abc" -> …`, or NULL: the model takes
 * no such input. */
static Run *example_run(const Subject *subject, const char *line) {
    const RaspModelInfo *info = subject->info;
    const char *end = strstr(line, " -> ");
    size_t count, known = 0, quoted = *line == '"';
    if (!end) return NULL;
    RaspInput input = {.text = line + quoted, .length = (size_t)(end - line) - 2 * quoted};
    RaspAtom *tokens = rasp_input_read(&input, NULL, &count, NULL);
    for (size_t i = 0; tokens && i < count && known == i; i++)
        for (size_t k = 0; k < info->alphabet_size && known == i; k++)
            if (rasp_atom_same(info->alphabet[k], tokens[i]))
                tokens[known++] = info->alphabet[k]; /* whose text lives longer */
    bool fits = tokens && known == count && count > 0 && count <= info->max_length;
    Run *run = fits ? run_new(subject, tokens, count, NULL) : NULL;
    rasp_free(tokens);
    return run;
}

static size_t example_runs(Trial *trial) {
    char line[4096];
    size_t count = 0;
    static const char label[] = "# example: ";
    FILE *file = fopen(trial->program, "r");
    assert_non_null(file);
    while (count < EXAMPLES && fgets(line, sizeof line, file))
        if (strncmp(line, label, sizeof label - 1) == 0) {
            trial->runs[count] = example_run(trial->subject, line + sizeof label - 1);
            count += trial->runs[count] != NULL;
        }
    fclose(file);
    return count;
}

static void make_runs(Trial *trial) {
    uint32_t state = 2463534242;
    for (size_t k = example_runs(trial); k < INPUTS; k++) {
        RaspAtom tokens[LONGEST];
        size_t n = draw_tokens(trial->subject->info, k, &state, tokens);
        trial->runs[k] = run_new(trial->subject, tokens, n, NULL);
    }
}

/* Columns hold what they are said to be able to. */
static void check_values(const Run *run) {
    const RaspCircuit *c = run->subject->circuit;
    for (size_t k = 0; k < c->column_count; k++) {
        const RaspCircuitColumn *column = &c->columns[k];
        for (size_t i = 1; i <= run->n && column->values; i++) {
            double x = run->value[k][i], off = INFINITY;
            for (size_t v = 0; v < column->value_count; v++)
                off = fmin(off, fabs(x - column->values[v]));
            if (off > 1e-4) fail_msg("column %zu (%s) holds %g", k, c->sops[column->sop].text, x);
            double there = run->stream[column->written][i * c->width + column->dim];
            if (fabs(there - x) > 1e-4)
                fail_msg("column %zu: %g, but %g in the stream", k, x, there);
        }
    }
}

static void judge(const Subject *subject, Trial *trial) {
    const RaspCircuit *c = subject->circuit;
    trial->subject = subject;
    trial->claim.columns = calloc(c->column_count + 1, sizeof(bool));
    trial->claim.outputs = calloc(c->output_count + 1, sizeof(bool));
    trial->seen.columns = calloc(c->column_count + 1, sizeof(bool));
    trial->direct = calloc(c->column_count + 1, sizeof(bool));
    make_runs(trial);
    for (size_t k = 0; k < INPUTS; k++) check_values(trial->runs[k]);
    ablate_all(trial);
    for (size_t k = 0; k < INPUTS; k++) run_free(trial->runs[k]);
    free(trial->claim.columns), free(trial->claim.outputs);
    free(trial->seen.columns), free(trial->direct);
}

/* --- all programs --------------------------------------------------------------------------- */

/* How a program is compiled. */
typedef struct Way {
    RaspTarget target; /* but for the inputs */
    bool all;          /* s-ops as outputs; else the last */
    size_t every;      /* of how many programs one is compiled so */
} Way;

/* Short inputs show everything, but for one program: its clauses have up to 8 tokens, and the
 * alphabet is what one kind of them needs. */
static void set_inputs(const char *path, RaspTarget *target) {
    bool rover = strstr(path, "/rover.") != NULL;
    target->max_length = rover ? LONGEST : USUAL;
    if (rover) target->alphabet = "aA<,?";
}

static RaspModel *compile_file(const char *path, const Way *way) {
    RaspError error;
    RaspSop last;
    size_t count = 1;
    RaspTarget target = way->target;
    set_inputs(path, &target);
    RaspProgram *program = rasp_program_load(&(RaspSource){.path = path}, NULL, &error);
    if (!program || !rasp_program_sop(program, NULL, &last, &error)) fail_msg("%s", error.text);
    const RaspSop *sops = way->all ? rasp_program_sops(program, &count, &error) : &last;
    RaspModel *model = sops ? rasp_compile(program, sops, count, &target, &error) : NULL;
    rasp_program_free(program);
    return model;
}

/* False: it cannot be compiled so. */
static bool judge_file(const char *path, const Way *way, Trial *trial) {
    RaspError error;
    Subject subject = {.model = compile_file(path, way)};
    if (!subject.model) return false;
    subject.engine = engine_of(subject.model);
    subject.circuit = rasp_model_circuit(subject.model, &error);
    if (!subject.circuit) fail_msg("%s: %s", path, error.text);
    subject.info = rasp_model_info(subject.model);
    *trial = (Trial){.program = path};
    judge(&subject, trial);
    rasp_engine_free(subject.engine);
    rasp_model_free(subject.model);
    return true;
}

#ifdef __SANITIZE_ADDRESS__
enum { SLOWER = 7 };
#else
enum { SLOWER = 1 };
#endif

static void judge_programs(const Way *way, size_t *changes, size_t *judged) {
    glob_t found;
    Trial trial;
    *changes = *judged = 0;
    assert_int_equal(glob("programs/*/*.rasp", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 80);
    for (size_t k = 0; k < found.gl_pathc; k += way->every * SLOWER) {
        if (!judge_file(found.gl_pathv[k], way, &trial)) continue;
        if (!way->all && !is_redundant(&trial))
            fail_msg("%s: %zu zeros and %zu edges change nothing: %s", trial.program, trial.zeros,
                     trial.edges, trial.note);
        *changes += trial.changes;
        ++*judged;
    }
    globfree(&found);
}

static void bundled_programs(void **state) {
    size_t changes, judged;
    (void)state;
    judge_programs(&(Way){.every = 1}, &changes, &judged);
    assert_true(judged > 80 / SLOWER && changes > 4000 / (2 * SLOWER));
}

static void other_ways(void **state) {
    static const Way ways[] = {{{.layout = RASP_STANDARD}, false, 5},
                               {{.masks = RASP_MASKS_NONE, .dtype = RASP_F64}, false, 7},
                               {{0}, true, 8}};
    size_t changes, judged;
    (void)state;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        judge_programs(&ways[k], &changes, &judged);
        assert_true(judged > 0 && changes > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled_programs),
        cmocka_unit_test(other_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
