/* Running examples, and trying results on them (language.md 7.5). */
#include "interp/eval/eval.h"

#include "base/utf8.h"

#include <string.h>

/* --- inputs ----------------------------------------------------------------------------- */

FaultId example_check(Value value) {
    size_t count = 0;
    if (value.kind == VALUE_DICT || !value_count(value, &count) || count == 0)
        return FAULT_EMPTY_INPUT;
    for (size_t k = 0; value.kind == VALUE_LIST && value.list->items && k < count; k++)
        if (value.list->items[k].kind != VALUE_ATOM) return FAULT_INPUT_ELEMENTS;
    return FAULT_NONE;
}

static Input string_input(Session *s, const Str *text, Arena *arena) {
    Atom *tokens = ARENA_ARRAY(arena, text->chars, Atom);
    size_t count = 0;
    for (const char *at = text->text, *end = at + text->length; at < end;) {
        size_t step = utf8_step(at, (size_t)(end - at));
        tokens[count++] = atom_string(intern(s->intern, at, step));
        at += step;
    }
    return (Input){.tokens = tokens, .length = count, .is_string = true};
}

static Input list_input(const List *list, Arena *arena) {
    Atom *tokens = ARENA_ARRAY(arena, list->count, Atom);
    for (size_t k = 0; k < list->count; k++) tokens[k] = list_at(list, k).atom;
    return (Input){.tokens = tokens, .length = list->count};
}

/* --- examples --------------------------------------------------------------------------- */

void example_clear(Example *example) {
    arena_free(example->arena); /* the Exec is in it */
    *example = (Example){.value = example->value};
}

void example_set(Example *example, Value value) {
    example_clear(example);
    example->value = value;
}

Exec *example_exec(Session *s, Example *example, Fault *fault) {
    if (example->exec) return example->exec;
    FaultId id = example_check(example->value);
    if (id != FAULT_NONE) {
        *fault = (Fault){.id = id, .arg = {eval_plain(s, example->value)}};
        return NULL;
    }
    if (!example->arena) example->arena = arena_new(s->budget);
    example->input = value_is_string(example->value)
                         ? string_input(s, example->value.atom.s, example->arena)
                         : list_input(example->value.list, example->arena);
    ExecOptions options = {.plan = EXEC_PLAN_AUTO, .keep = true};
    return example->exec = exec_new(s->graph, &example->input, options, example->arena);
}

bool example_runs(Session *s, Example *example, Value value, Fault *fault) {
    NodeId node = value.object->node;
    if (node < example->tried_room && example->tried[node]) return true;
    Exec *exec = example_exec(s, example, fault);
    if (!exec) return false;
    bool runs = value.kind == VALUE_SOP ? exec_column(exec, node, fault) != NULL
                                        : exec_check_selector(exec, node, fault);
    if (!runs) return false;
    example->tried = arena_grow(example->arena, example->tried, &example->tried_room,
                                (size_t)node + 1, sizeof *example->tried);
    example->tried[node] = 1;
    return true;
}

/* --- trying ----------------------------------------------------------------------------- */

Trial *trial_push(Session *s, Value input) {
    Trial *trial = s->trial_pool;
    if (trial)
        s->trial_pool = trial->below;
    else
        trial = ARENA_NEW(s->arena, Trial);
    trial->below = s->trials;
    trial->active = s->trial;
    trial->is_input = example_check(input) == FAULT_NONE;
    trial->example.value = input;
    return s->trials = s->trial = trial;
}

void trial_pop(Session *s) {
    Trial *trial = s->trials;
    example_clear(&trial->example);
    s->trials = trial->below;
    s->trial = trial->active;
    trial->below = s->trial_pool;
    s->trial_pool = trial;
}

Example *example_current(Session *s) {
    return s->trial && s->trial->is_input ? &s->trial->example : &s->sop_example;
}

/* A result that will be applied to an input may run on that input or on the running example;
 * if on neither, the input's fault counts. */
void example_try(Session *s, Value value, const Ast *at) {
    Fault fault, other;
    if (!s->trial) {
        if (example_runs(s, &s->sop_example, value, &fault)) return;
    } else {
        if (example_runs(s, &s->trial->example, value, &fault)) return;
        if (example_runs(s, &s->sop_example, value, &other)) return;
    }
    if (fault.span.begin == 0) fault.span = at->mark;
    eval_raise(s, &fault);
}
