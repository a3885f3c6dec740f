#include "cli/express_print.h"

#include "base/plural.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/summary.h"

#include <string.h>

enum { NAME_WIDTH = 22, CELL_WIDTH = 5, SHOWN_PAIRS = 12 };

/* --- the table -------------------------------------------------------------------------------- */

void express_print_head(const Task *task, const char *name, uint32_t longest, bool vary_values) {
    printf("%s: %u token%s, %s position%s\n\n", name, task->symbols, plural(task->symbols),
           task->last ? "the last" : "all", task->last ? "" : "s");
    printf("  %-*s", NAME_WIDTH, vary_values ? "least number of values" : "least number of heads");
    for (uint32_t n = 1; n <= longest; n++)
        printf("%*s", CELL_WIDTH, arena_format(command_arena(), n == 1 ? "N=%u" : "%u", n));
    putchar('\n');
}

void express_print_name(const Query *query) {
    printf("  %-*s", NAME_WIDTH, query_text(query, command_arena()));
}

static const char *cell_text(const Query *q, const Verdict *v) {
    Arena *arena = command_arena();
    if (q->kind == CLASS_BITS) return arena_format(arena, "%u", v->bits);
    if (v->impossible) return "no";
    if (q->kind == CLASS_NO_POSITIONS || q->kind == CLASS_WINDOW) return "yes";
    if (v->answer == ANSWER_YES) return arena_format(arena, "%u", v->least);
    if (v->answer == ANSWER_NO) return arena_format(arena, ">%u", v->above);
    if (v->enough && v->enough <= q->most)
        return arena_format(arena, "%u-%u", v->above + 1, v->enough);
    return arena_format(arena, "%u-", v->above + 1);
}

void express_print_cell(const Query *query, const Verdict *verdict) {
    printf("%*s", CELL_WIDTH, cell_text(query, verdict));
    fflush(stdout);
}

/* --- witnesses -------------------------------------------------------------------------------- */

const char *express_instance_text(const Task *task, uint32_t e) {
    const Instance *x = &task->instances[e];
    const char *input = task_input_text(task, x), *label = task_label_text(task, x->label);
    if (x->position == x->length - 1)
        return arena_format(command_arena(), "%s -> %s", input, label);
    return arena_format(command_arena(), "%s at %u -> %s", input, x->position, label);
}

static const char *heads_text(const Query *q, const Witness *w) {
    const char *kind = q->kind == CLASS_AVERAGE  ? "averaging head"
                       : q->kind == CLASS_UNIQUE ? "unique head"
                                                 : "head";
    Arena *arena = command_arena();
    if (q->kind == CLASS_AVERAGE && w->values > 1)
        return arena_format(arena, "%u %s%s of %u values", w->heads, kind, plural(w->heads),
                            w->values);
    return arena_format(arena, "%u %s%s", w->heads, kind, plural(w->heads));
}

static void print_pairs(const Task *task, const Pairs *pairs) {
    for (size_t k = 0; k < pairs->count && k < SHOWN_PAIRS; k++)
        printf("      %-26s %s\n", express_instance_text(task, pairs->at[k].x),
               express_instance_text(task, pairs->at[k].y));
    if (pairs->count > SHOWN_PAIRS)
        printf("      … and %zu more (--json or --certificate has them all)\n",
               pairs->count - SHOWN_PAIRS);
}

static void print_stuck(const Task *task, const Witness *w) {
    printf("    1 unique head is too few from N = %u on: whatever it picks first, both labels "
           "remain\n",
           w->length);
    for (size_t k = 0; k < w->stuck_count && k < SHOWN_PAIRS; k++)
        printf("      %s\n", express_instance_text(task, w->stuck[k]));
    if (w->stuck_count > SHOWN_PAIRS)
        printf("      … and %zu more\n", w->stuck_count - SHOWN_PAIRS);
}

static void print_witness(const Task *task, const Query *q, const Witness *w) {
    if (w->stuck) {
        print_stuck(task, w);
    } else if (q->kind == CLASS_NO_POSITIONS || q->kind == CLASS_WINDOW) {
        printf("    no, with any number of heads, from N = %u on: these look the same\n",
               w->length);
        print_pairs(task, &w->pairs);
    } else if (w->heads == 0) {
        printf(
            "    no, with any number of heads, from N = %u on: every aggregate of the grammar is "
            "the same on\n",
            w->length);
        print_pairs(task, &w->pairs);
    } else {
        printf("    %s: too few from N = %u on; no such layer tells %s apart\n", heads_text(q, w),
               w->length,
               w->pairs.count == 1
                   ? "this pair"
                   : arena_format(command_arena(), "all %zu of these pairs%s", w->pairs.count,
                                  w->least ? " (none can be left out)" : ""));
        print_pairs(task, &w->pairs);
    }
}

/* --- programs --------------------------------------------------------------------------------- */

static void print_carry(const Carry *c) {
    if (c->length)
        printf(
            "    it carries no further: at N = %u, the label of %s at %u is %s, the program's %s\n",
            c->length, c->input, c->position, c->expected, c->found);
    else
        printf("    it also holds up to N = %u%s\n", c->tried,
               c->sampled ? ", on all inputs that were drawn" : "");
}

static void print_program(const Emitted *e) {
    printf("    %s\n", e->rule);
    if (e->certified)
        printf("    checked on all instances; compiled: %zu attention layer%s, %zu head%s, %s "
               "parameters, certified\n",
               e->layers, plural(e->layers), e->heads, plural(e->heads), grouped(e->parameters));
    else if (e->checked)
        printf("    checked on all instances; %s%s\n",
               strncmp(e->problem, "not compiled", 12) == 0 ? "" : "not compiled: ", e->problem);
    else
        printf("    no program: %s\n", e->problem);
    if (e->carried) print_carry(&e->carry);
}

static void print_bits(const Verdict *v) {
    printf("    any layer carries %u bit%s from the first %u position%s to the query (%zu "
           "different rows): "
           "at least %u averaging head%s of one 0/1 value, %u unique\n",
           v->bits, plural(v->bits), v->part, plural(v->part), v->row_count, v->average_heads,
           plural(v->average_heads), v->unique_heads);
}

void express_print_result(const Task *task, const ClassResult *r) {
    const Verdict *v = r->count ? &r->verdicts[r->count - 1] : NULL;
    const Query *q = &r->query;
    if (!v) return;
    printf("\n  %s, N = %u, %s instance%s", query_text(q, command_arena()), v->length,
           grouped(v->instances), plural(v->instances));
    const char *what = q->vary_values ? "value" : "head";
    if (q->kind == CLASS_BITS || v->impossible)
        puts(":");
    else if (q->kind == CLASS_NO_POSITIONS || q->kind == CLASS_WINDOW)
        puts(": not excluded, what it sees determines the label");
    else if (v->answer == ANSWER_YES)
        printf(": %u %s%s\n", v->least, what, plural(v->least));
    else if (v->answer == ANSWER_NO)
        printf(": more than %u %s%s%s\n", v->above, what, plural(v->above),
               v->enough ? arena_format(command_arena(), " (%u are enough)", v->enough) : "");
    else if (v->enough)
        printf(": undecided after %.1f s: between %u and %u %ss\n", v->seconds, v->above + 1,
               v->enough, what);
    else
        printf(": undecided after %.1f s: at least %u %s%s\n", v->seconds, v->above + 1, what,
               plural(v->above + 1));
    if (q->kind == CLASS_BITS) print_bits(v);
    if (r->emitted) print_program(r->emitted);
    if (v->witness) print_witness(task, q, v->witness);
}

/* --- JSON ------------------------------------------------------------------------------------- */

void express_json_instance(Json *j, const Task *task, uint32_t e) {
    char text[512];
    const Instance *x = &task->instances[e];
    json_begin_object(j, NULL);
    json_begin_array(j, "input");
    for (uint32_t i = 0; i < x->length; i++) {
        rasp_atom_text(task->alphabet[x->tokens[i]], RASP_JSON, text, sizeof text);
        json_ready(j, NULL, text);
    }
    json_end(j);
    json_count(j, "position", x->position);
    rasp_atom_text(task->labels[x->label], RASP_JSON, text, sizeof text);
    json_ready(j, "label", text);
    json_end(j);
}

static void json_witness(Json *j, const Task *task, const Witness *w) {
    json_begin_object(j, "witness");
    if (w->heads) json_count(j, "heads", w->heads);
    if (w->values) json_count(j, "values", w->values);
    json_count(j, "max_length", w->length);
    json_flag(j, "least", w->least || w->stuck);
    json_begin_array(j, w->stuck ? "stuck" : "pairs");
    for (size_t k = 0; w->stuck && k < w->stuck_count; k++)
        express_json_instance(j, task, w->stuck[k]);
    for (size_t k = 0; !w->stuck && k < w->pairs.count; k++) {
        json_begin_array(j, NULL);
        express_json_instance(j, task, w->pairs.at[k].x);
        express_json_instance(j, task, w->pairs.at[k].y);
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void json_least(Json *j, const Query *q, const Verdict *v) {
    json_begin_object(j, "least");
    if (q->kind == CLASS_BITS)
        json_count(j, "bits", v->bits);
    else if (v->impossible)
        json_count(j, "more_than", q->most);
    else if (v->answer == ANSWER_UNDECIDED || q->kind == CLASS_NO_POSITIONS ||
             q->kind == CLASS_WINDOW)
        json_count(j, "at_least", v->above + 1);
    else if (v->answer == ANSWER_NO)
        json_count(j, "more_than", v->above);
    else
        json_count(j, q->vary_values ? "values" : "heads", v->least);
    if (v->answer != ANSWER_YES && v->enough) json_count(j, "at_most", v->enough);
    json_end(j);
}

static void json_program(Json *j, const Emitted *e) {
    json_begin_object(j, "program");
    if (e->source) json_text(j, "source", e->source);
    json_text(j, "rule", e->rule);
    json_text(j, "selectors", e->grammar);
    json_flag(j, "checked", e->checked);
    json_flag(j, "certified", e->certified);
    if (e->certified) {
        json_count(j, "attention_layers", e->layers);
        json_count(j, "heads", e->heads);
        json_count(j, "parameters", e->parameters);
    }
    if (e->carried && e->carry.length) json_count(j, "fails_at", e->carry.length);
    if (e->carried && !e->carry.length) {
        json_count(j, "holds_up_to", e->carry.tried);
        json_flag(j, "holds_on_sample", e->carry.sampled);
    }
    json_end(j);
}

void express_print_json(FILE *out, const Task *task, const ClassResult *r, const Verdict *v) {
    const Query *q = &r->query;
    bool is_last = v == &r->verdicts[r->count - 1];
    Json j = {.out = out};
    json_begin_object(&j, NULL);
    json_text(&j, "class", class_name((int)q->kind));
    if (q->kind == CLASS_WINDOW) json_count(&j, "distance", q->distance);
    if (q->vary_values) json_count(&j, "heads", q->heads);
    if (!q->vary_values && q->kind == CLASS_AVERAGE) json_count(&j, "values", q->values);
    json_count(&j, "max_length", v->length);
    json_least(&j, q, v);
    if (v->impossible) json_flag(&j, "impossible", true);
    json_count(&j, "instances", v->instances);
    json_count(&j, "pairs", v->pairs);
    json_number(&j, "seconds", "%.3f", v->seconds);
    if (is_last && r->emitted) json_program(&j, r->emitted);
    if (v->witness && (is_last || v->answer != ANSWER_YES)) json_witness(&j, task, v->witness);
    json_end(&j);
}
