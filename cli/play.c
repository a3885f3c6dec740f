#include "cli/play.h"

#include "cli/alphabet.h"
#include "compile/emit/emit.h"
#include "compile/record.h"

#include <math.h>
#include <stdio.h>

bool player_init(Player *p, Program *program, const Model *model, RtError *error) {
    Intern *table = session_intern(program->session);
    p->program = program;
    p->model = model;
    p->values = ARENA_ARRAY(program->arena, model->output_count, const Atom *);
    for (size_t k = 0; k < model->output_count; k++) {
        const ModelOutput *output = model->outputs[k];
        Atom *values = ARENA_ARRAY(program->arena, output->value_count + 1, Atom);
        for (size_t v = 0; v < output->value_count; v++)
            values[v] = record_atom(&output->values[v], table);
        p->values[k] = values;
    }
    return record_load_domain(model, &p->first, &p->where_text, error);
}

void player_clear(Player *p) {
    run_result_clear(&p->result);
    engine_free(p->engine);
    p->engine = NULL;
}

/* --- inputs -------------------------------------------------------------------------------- */

bool player_token(const Player *p, Atom token, size_t *id, RtError *error) {
    RtAtom atom = emit_atom(token);
    return rt_token_id(p->engine, &atom, id, error);
}

bool player_accepts_first(const Player *p, size_t id, RtError *error) {
    char found[64], wanted[64];
    if (p->first < 0 || id == (size_t)p->first) return true;
    return rt_error(error,
                    "outside of what the file was compiled for: inputs start with %s, this one "
                    "with %s",
                    rt_atom_text(&p->model->alphabet[p->first], wanted, sizeof wanted),
                    rt_atom_text(&p->model->alphabet[id], found, sizeof found));
}

/* Is Domain.where true at every position?  The interpreter says so. */
static bool accepts_where(const Player *p, const Input *input, Arena *arena, RtError *error) {
    if (p->where == NODE_NONE) return true;
    Fault fault;
    Exec *exec = exec_new(session_graph(p->program->session), input, (ExecOptions){0}, arena);
    const Column *column = exec_column(exec, p->where, &fault);
    if (!column)
        return rt_error(error, "'%s', which the file assumes to be true everywhere, fails: %s",
                        p->where_text, fault_text(&fault, arena));
    for (size_t i = 0; i < input->length; i++)
        if (!atom_truth(column_at(column, i)))
            return rt_error(error,
                            "outside of what the file was compiled for: '%s' is not true at "
                            "position %zu",
                            p->where_text, i);
    return true;
}

static bool run_input(Player *p, const Input *input, Arena *arena, RtError *error) {
    size_t *ids = ARENA_BLOCK(arena, input->length, size_t);
    for (size_t i = 0; i < input->length; i++)
        if (!player_token(p, input->tokens[i], &ids[i], error)) return false;
    if (!player_accepts_first(p, ids[0], error) || !accepts_where(p, input, arena, error))
        return false;
    run_result_clear(&p->result);
    return engine_run(p->engine, ids, input->length, &p->result, error);
}

/* --- results ------------------------------------------------------------------------------- */

Atom player_value(const Player *p, size_t output, const Reading *reading) {
    return reading->index < 0 ? atom_float(reading->number) : p->values[output][reading->index];
}

static const Column *output_column(const Player *p, size_t output, Arena *arena) {
    ColumnWriter writer = column_writer(arena, p->result.length);
    for (size_t i = 0; i < p->result.length; i++)
        column_put(&writer, player_value(p, output, run_reading(&p->result, output, i)));
    sequence_type_of(writer.kinds, &writer.column->type);
    return writer.column;
}

static const Column **run(void *self, const Input *input, Arena *arena, char *text, size_t size) {
    Player *p = self;
    RtError error;
    if (!run_input(p, input, arena, &error)) {
        snprintf(text, size, "%s", error.text);
        return NULL;
    }
    const Column **columns = ARENA_ARRAY(arena, p->output_count, const Column *);
    for (size_t k = 0; k < p->output_count; k++)
        columns[k] = output_column(p, p->outputs[k], arena);
    return columns;
}

static void json(void *self, size_t k, Json *j) {
    const Player *p = self;
    double margin = INFINITY;
    json_begin_array(j, "raw");
    for (size_t i = 0; i < p->result.length; i++) {
        const Reading *reading = run_reading(&p->result, p->outputs[k], i);
        json_number(j, NULL, "%.17g", reading->number);
        margin = fmin(margin, reading->margin);
    }
    json_end(j);
    json_number(j, "margin", "%.6g", margin);
}

Machine player_machine(Player *player) {
    return (Machine){player, run, json};
}
