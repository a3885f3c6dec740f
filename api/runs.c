/* Runs of the interpreter on many short inputs. */
#include "api/input.h"
#include "api/program.h"
#include "api/value.h"

#include "interp/exec/exec.h"

#include <stdlib.h>

/* Inputs of one length that were run, one after the other. */
typedef struct Group {
    size_t n;
    const Column *tokens;
    const Column **values; /* [count] */
} Group;

/* Where an input is: from position `first` on.  NULL: it was not run. */
typedef struct RunPart {
    const Group *group;
    size_t first;
} RunPart;

struct RaspRuns {
    Core core; /* within the program's budget */
    RaspProgram *program;
    size_t input_count, count;
    RunPart *part;                /* [inputs] */
    RaspSequence tokens, *values; /* [count]: what was asked for last */
};

typedef struct RunsCall {
    const RaspInput *inputs;
    const RaspSop *sops;
    NodeId *nodes;  /* theirs */
    size_t *number; /* [inputs]: of those of one length */
} RunsCall;

/* Characters of ASCII: a token a byte. */
static bool is_plain(const RaspInput *input) {
    if (!input->text || input->tokens || input->form == RASP_AS_LIST) return false;
    if (input->length == 0 || input->length > EXEC_SEGMENT_MAX) return false;
    unsigned char all = 0;
    for (size_t k = 0; k < input->length; k++) all |= (unsigned char)input->text[k];
    return all < 0x80 &&
           (input->form == RASP_AS_STRING || !input_begins_list(input->text, input->length));
}

/* The tokens of all of them, as a column. */
static Column *read_tokens(RaspRuns *runs, const RunsCall *call, size_t count, size_t n) {
    Arena *arena = runs->core.arena;
    Intern *table = session_intern(runs->program->session);
    Column *tokens = column_new(arena, COLUMN_STRING, count * n);
    for (size_t k = 0; k < count; k++)
        intern_ascii(table, call->inputs[call->number[k]].text, n, tokens->strings + k * n);
    return tokens;
}

/* `count` inputs of n tokens each; if one of them fails, none was run. */
static void run_alike(RaspRuns *runs, const RunsCall *call, size_t count, size_t n) {
    Arena *arena = runs->core.arena;
    const Column *tokens = read_tokens(runs, call, count, n);
    Input input = {
        .strings = tokens->strings, .length = count * n, .is_string = true, .segment = n};
    Exec *exec =
        exec_new(session_graph(runs->program->session), &input, (ExecOptions){.threads = 1}, arena);
    Group *group = ARENA_NEW(arena, Group);
    *group = (Group){n, tokens, ARENA_ARRAY(arena, runs->count + 1, const Column *)};
    exec_want(exec, call->nodes, runs->count);
    for (size_t k = 0; k < runs->count; k++) {
        Fault fault;
        group->values[k] = exec_column(exec, call->nodes[k], &fault);
        if (!group->values[k]) return;
    }
    for (size_t i = 0; i < count; i++) runs->part[call->number[i]] = (RunPart){group, i * n};
}

static bool run_all(Core *core, void *context) {
    RaspRuns *runs = (RaspRuns *)core;
    RunsCall *call = context;
    Arena *arena = core->arena;
    const Graph *graph = session_graph(runs->program->session);
    for (size_t k = 0; k < runs->count; k++)
        if (node_is_selector(graph_node(graph, call->sops[k].node)))
            return core_fail(core, RASP_WRONG_USE, "number %zu is a selector, expected an s-op", k);
    runs->part = ARENA_ARRAY(arena, runs->input_count + 1, RunPart);
    runs->values = ARENA_ARRAY(arena, runs->count + 1, RaspSequence);
    call->number = ARENA_ARRAY(arena, runs->input_count, size_t);
    call->nodes = ARENA_ARRAY(arena, runs->count + 1, NodeId);
    for (size_t k = 0; k < runs->count; k++) call->nodes[k] = call->sops[k].node;
    uint8_t *length = ARENA_ARRAY(arena, runs->input_count, uint8_t);
    size_t inputs_of[EXEC_SEGMENT_MAX + 1] = {0};
    for (size_t i = 0; i < runs->input_count; i++) {
        length[i] = is_plain(&call->inputs[i]) ? (uint8_t)call->inputs[i].length : 0;
        inputs_of[length[i]]++;
    }
    for (size_t n = 1; n <= EXEC_SEGMENT_MAX; n++) {
        size_t count = 0;
        if (inputs_of[n] < 2) continue;
        for (size_t i = 0; i < runs->input_count; i++)
            if (length[i] == n) call->number[count++] = i;
        run_alike(runs, call, count, n);
    }
    return true;
}

RaspRuns *rasp_runs_new(RaspProgram *program, const RaspInput *inputs, size_t input_count,
                        const RaspSop *sops, size_t count, RaspError *error) {
    RaspRuns *runs = calloc(1, sizeof *runs);
    if (!runs) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for runs");
        return NULL;
    }
    runs->program = program_keep(program);
    runs->input_count = input_count;
    runs->count = count;
    RunsCall call = {.inputs = inputs, .sops = sops};
    if (core_share(&runs->core, &program->core, error) &&
        core_call(&runs->core, error, RASP_FAILED, run_all, &call))
        return runs;
    rasp_runs_free(runs);
    return NULL;
}

void rasp_runs_free(RaspRuns *runs) {
    if (!runs) return;
    core_clear(&runs->core);
    rasp_program_free(runs->program);
    free(runs);
}

static const RunPart *part_of(const RaspRuns *runs, size_t input) {
    return input < runs->input_count && runs->part[input].group ? &runs->part[input] : NULL;
}

const RaspSequence *rasp_runs_sequence(RaspRuns *runs, size_t input, size_t k) {
    const RunPart *part = part_of(runs, input);
    if (!part || k >= runs->count) return NULL;
    runs->values[k] = sequence_of_part(part->group->values[k], part->first, part->group->n);
    return &runs->values[k];
}

bool rasp_runs_has(const RaspRuns *runs, size_t input) {
    return part_of(runs, input) != NULL;
}

const RaspSequence *rasp_runs_input(RaspRuns *runs, size_t input) {
    const RunPart *part = part_of(runs, input);
    if (!part) return NULL;
    runs->tokens = sequence_of_part(part->group->tokens, part->first, part->group->n);
    return &runs->tokens;
}
