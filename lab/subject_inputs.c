/* Inputs of a subject, drawn or given, and what the interpreter says of them. */
#include "lab/subject.h"

#include <math.h>
#include <string.h>

enum { LENGTHS = 8, TRIES = 30, USUAL = 200, QUICK = 48 };

typedef struct Drawing {
    Subject *subject;
    Page *page;
    RaspProgram *program; /* NULL: none */
    RaspSop *sops;        /* of the model's outputs, then `where` if there is one */
    size_t sop_count;
    SubjectInput *list;
    size_t count, room;
} Drawing;

/* --- the program ------------------------------------------------------------------------------ */

/* An output is named by its s-op, or is an expression. */
static bool find_sop(RaspProgram *program, const char *name, RaspSop *sop, RaspError *error) {
    size_t count;
    const RaspSop *sops = rasp_program_sops(program, &count, error);
    for (size_t k = 0; sops && k < count; k++)
        if (strcmp(sops[k].name, name) == 0) {
            *sop = sops[k];
            return true;
        }
    return sops && rasp_program_expression(program, name, sop, error);
}

static bool find_program(Drawing *d) {
    const RaspModelInfo *info = d->subject->info;
    RaspError error;
    if (!d->subject->judged) return true;
    d->program = rasp_model_program(d->subject->handle, &error);
    d->sops = ARENA_ARRAY(d->subject->lab->arena, info->output_count + 1, RaspSop);
    d->sop_count = info->output_count + (info->where != NULL);
    if (!d->program) return subject_refuse(d->subject->lab, d->page, &error);
    for (size_t k = 0; k < d->sop_count; k++) {
        const char *name = k < info->output_count ? info->outputs[k].name : info->where;
        if (!find_sop(d->program, name, &d->sops[k], &error))
            return subject_refuse(d->subject->lab, d->page, &error);
    }
    return true;
}

/* --- what it says ----------------------------------------------------------------------------- */

static RtAtom to_runtime(RaspAtom atom) {
    switch (atom.kind) {
    case RASP_BOOL:
        return rt_bool(atom.as.b);
    case RASP_INT:
        return rt_int(atom.as.i);
    case RASP_FLOAT:
        return rt_float(atom.as.f);
    default:
        return rt_string(atom.as.s.text, atom.as.s.length);
    }
}

/* What the output cannot say: no value's kind. */
static const RtAtom unsaid = {.kind = RT_KIND_COUNT};

/* The same; a text is that of the output's values, which live as long as the model. */
static RtAtom find_value(const ModelOutput *output, RtAtom wanted) {
    if (wanted.kind != RT_STRING) return wanted;
    for (size_t k = 0; k < output->value_count; k++)
        if (rt_atom_compare(&output->values[k], &wanted) == 0) return output->values[k];
    return unsaid;
}

static bool is_true(RaspAtom value) {
    switch (value.kind) {
    case RASP_BOOL:
        return value.as.b;
    case RASP_INT:
        return value.as.i != 0;
    case RASP_FLOAT:
        return value.as.f != 0;
    default:
        return value.as.s.length > 0;
    }
}

static bool holds_everywhere(const RaspSequence *values) {
    for (size_t i = 0; i < rasp_sequence_length(values); i++)
        if (!is_true(rasp_sequence_at(values, i))) return false;
    return true;
}

static void fill(RtAtom *to, size_t n, RtAtom value) {
    for (size_t i = 0; i < n; i++) to[i] = value;
}

/* Outputs whose s-op fails have no answer, which a flag says if the model has one. */
static bool take_answers(const Subject *s, RaspRun *run, SubjectInput *input, RtAtom **room,
                         RaspError *error) {
    for (size_t k = 0; k < s->info->output_count; k++) {
        const RaspSequence *values = rasp_run_sequence(run, k, error);
        ptrdiff_t flag = s->info->outputs[k].flag;
        if (!values && error->status != RASP_FAILED) return false;
        if (flag >= 0) {
            fill(room[flag], input->length, rt_bool(!values));
            input->expected[flag] = room[flag];
        }
        for (size_t i = 0; values && i < input->length; i++)
            room[k][i] = find_value(s->model->outputs[k], to_runtime(rasp_sequence_at(values, i)));
        input->expected[k] = values ? room[k] : NULL;
    }
    return true;
}

typedef enum Verdict { TAKEN, OUTSIDE, BROKEN } Verdict;

/* Is it an input of the domain, and what are the outputs on it? */
static Verdict judge(Drawing *d, SubjectInput *input) {
    const Subject *s = d->subject;
    Arena *arena = s->lab->arena;
    size_t outputs = s->model->output_count;
    RaspAtom *tokens = ARENA_ARRAY(arena, input->length, RaspAtom);
    RtAtom **room = ARENA_ARRAY(arena, outputs, RtAtom *);
    input->expected = ARENA_ARRAY(arena, outputs, const RtAtom *);
    if (!d->program) return TAKEN;
    for (size_t k = 0; k < outputs; k++) room[k] = ARENA_ARRAY(arena, input->length, RtAtom);
    for (size_t i = 0; i < input->length; i++) tokens[i] = s->info->alphabet[input->ids[i]];
    RaspError error;
    RaspInput text = {.tokens = tokens, .count = input->length};
    RaspRun *run = rasp_run_new(d->program, &text, d->sops, d->sop_count, NULL, &error);
    Verdict verdict = run ? TAKEN : BROKEN;
    if (run && s->info->where) {
        const RaspSequence *where = rasp_run_sequence(run, s->info->output_count, &error);
        if (!where) verdict = error.status == RASP_FAILED ? OUTSIDE : BROKEN;
        if (where && !holds_everywhere(where)) verdict = OUTSIDE;
    }
    if (verdict == TAKEN && !take_answers(s, run, input, room, &error)) verdict = BROKEN;
    rasp_run_free(run);
    if (verdict == BROKEN) subject_refuse(s->lab, d->page, &error);
    return verdict;
}

static Verdict add(Drawing *d, const size_t *ids, size_t length) {
    Arena *arena = d->subject->lab->arena;
    size_t *copy = ARENA_ARRAY(arena, length, size_t);
    memcpy(copy, ids, length * sizeof *ids);
    lab_poll(d->subject->lab);
    SubjectInput input = {.ids = copy, .length = length};
    Verdict verdict = judge(d, &input);
    if (verdict != TAKEN) return verdict;
    d->list = arena_grow(arena, d->list, &d->room, d->count + 1, sizeof *d->list);
    d->list[d->count++] = input;
    return TAKEN;
}

/* --- drawing ---------------------------------------------------------------------------------- */

typedef void Shape(Rng *rng, size_t symbols, size_t *ids, size_t n);

static void uniform(Rng *rng, size_t symbols, size_t *ids, size_t n) {
    for (size_t i = 0; i < n; i++) ids[i] = rng_below(rng, symbols);
}

static void all_equal(Rng *rng, size_t symbols, size_t *ids, size_t n) {
    size_t token = rng_below(rng, symbols);
    for (size_t i = 0; i < n; i++) ids[i] = token;
}

static void two_tokens(Rng *rng, size_t symbols, size_t *ids, size_t n) {
    size_t tokens[2] = {rng_below(rng, symbols), rng_below(rng, symbols)};
    for (size_t i = 0; i < n; i++) ids[i] = tokens[rng_below(rng, 2)];
}

static void cycle(Rng *rng, size_t symbols, size_t *ids, size_t n) {
    size_t from = rng_below(rng, symbols);
    for (size_t i = 0; i < n; i++) ids[i] = (from + i) % symbols;
}

/* One token but for one place. */
static void one_different(Rng *rng, size_t symbols, size_t *ids, size_t n) {
    all_equal(rng, symbols, ids, n);
    ids[rng_below(rng, n)] = rng_below(rng, symbols);
}

/* The second half mirrors the first; a pair of brackets, which alphabets list side by side, closes
 * what it opened. */
static void mirrored(Rng *rng, size_t symbols, size_t *ids, size_t n) {
    uniform(rng, symbols, ids, n);
    for (size_t i = 0; i < n / 2; i++)
        ids[n - 1 - i] = (ids[i] ^ 1) < symbols ? ids[i] ^ 1 : ids[i];
}

static Shape *const shapes[] = {uniform, all_equal,     uniform, two_tokens,
                                cycle,   one_different, uniform, mirrored};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* All inputs of that length, in the order of their tokens. */
static bool add_all(Drawing *d, size_t n) {
    const RaspModelInfo *info = d->subject->info;
    size_t *ids = ARENA_ARRAY(d->subject->lab->arena, n, size_t), fixed = info->first >= 0;
    if (fixed) ids[0] = (size_t)info->first;
    for (;;) {
        size_t i = n;
        if (add(d, ids, n) == BROKEN) return false;
        while (i > fixed && ++ids[i - 1] == info->alphabet_size) ids[--i] = 0;
        if (i <= fixed) return true;
    }
}

static bool add_drawn(Drawing *d, size_t n, size_t wanted) {
    const RaspModelInfo *info = d->subject->info;
    Lab *lab = d->subject->lab;
    size_t *ids = ARENA_ARRAY(lab->arena, n, size_t), taken = 0;
    for (size_t k = 0; k < TRIES * wanted && taken < wanted; k++) {
        shapes[k % SHAPES](lab->rng, info->alphabet_size, ids, n);
        if (info->first >= 0) ids[0] = (size_t)info->first;
        Verdict verdict = add(d, ids, n);
        if (verdict == BROKEN) return false;
        taken += verdict == TAKEN;
    }
    return true;
}

/* Lengths in about equal ratios, from 1 to the longest. */
static size_t choose_lengths(size_t longest, size_t *lengths) {
    size_t count = 0;
    for (size_t k = 0; k < LENGTHS; k++) {
        double length = pow((double)longest, (double)k / (LENGTHS - 1));
        size_t n = (size_t)(length + 0.5);
        if (count == 0 || n > lengths[count - 1]) lengths[count++] = n;
    }
    return count;
}

static bool draw(Drawing *d, size_t wanted, size_t longest) {
    const RaspModelInfo *info = d->subject->info;
    size_t lengths[LENGTHS], count = choose_lengths(longest, lengths);
    size_t each = wanted / count > 0 ? wanted / count : 1;
    for (size_t k = 0; k < count; k++) {
        double all = pow((double)info->alphabet_size, (double)lengths[k] - (info->first >= 0));
        bool fine = all <= (double)each ? add_all(d, lengths[k]) : add_drawn(d, lengths[k], each);
        if (!fine) return false;
    }
    page_note(d->page, "%zu inputs of up to %zu of %zu tokens, drawn (seed %llu).", d->count,
              longest, info->max_length, (unsigned long long)d->subject->lab->seed);
    return true;
}

/* --- all together ------------------------------------------------------------------------------
 */

/* Ascending by length, those of one length as they came. */
static void sort_by_length(SubjectInput *list, size_t count) {
    for (size_t k = 1; k < count; k++)
        for (size_t i = k; i > 0 && list[i - 1].length > list[i].length; i--) {
            SubjectInput input = list[i];
            list[i] = list[i - 1];
            list[i - 1] = input;
        }
}

bool subject_take_inputs(Subject *s, Page *page, const ModelQuestion *question, size_t longest) {
    Drawing d = {.subject = s, .page = page};
    size_t wanted = question->drawn ? question->drawn : s->lab->quick ? QUICK : USUAL;
    if (!find_program(&d)) return false;
    if (longest > s->info->max_length) longest = s->info->max_length;
    for (size_t k = 0; k < question->input_count; k++)
        if (add(&d, question->inputs[k].ids, question->inputs[k].length) == BROKEN) return false;
    if (!question->input_count && !draw(&d, wanted, longest)) return false;
    sort_by_length(d.list, d.count);
    s->inputs = d.list;
    s->input_count = d.count;
    if (d.count) return true;
    page_note(page,
              "No input that was drawn is one of those that the model is for (%s): give some "
              "on the command line.",
              s->info->where ? s->info->where : "its first token");
    check_none(page, "models without an input", 1);
    return false;
}
