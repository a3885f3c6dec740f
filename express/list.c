/* One unique head for one key is a decision list (Rivest 1987): a total order of literals, and the
 * first one that is present decides.  Greedy is complete: a literal whose remaining instances all
 * have one label may always come next, since fewer instances are never harder. */
#include "express/search.h"

#include <string.h>

typedef struct List {
    const Task *task;
    const uint32_t *members;
    size_t count;
    bool *done;      /* [member] */
    uint32_t *label; /* [literal] of the instances that are left */
    uint8_t *state;  /* [literal] */
    uint32_t literals;
} List;

enum { ABSENT, PURE, MIXED };

static void meet(List *s, uint32_t literal, uint32_t label) {
    if (s->state[literal] == ABSENT) {
        s->state[literal] = PURE;
        s->label[literal] = label;
    } else if (s->label[literal] != label) {
        s->state[literal] = MIXED;
    }
}

static void look(List *s) {
    memset(s->state, ABSENT, s->literals);
    for (size_t k = 0; k < s->count; k++) {
        if (s->done[k]) continue;
        const Instance *x = &s->task->instances[s->members[k]];
        meet(s, 0, x->label);
        for (uint32_t i = 0; i < x->length; i++) meet(s, literal_at(s->task, x, i), x->label);
    }
}

static bool has(const List *s, size_t k, uint32_t literal) {
    const Instance *x = &s->task->instances[s->members[k]];
    if (literal == 0) return true;
    uint32_t position = (literal - 1) / s->task->symbols;
    return position < x->length && literal_at(s->task, x, position) == literal;
}

/* Instances that the literal would settle. */
static size_t settles(const List *s, uint32_t literal) {
    size_t count = 0;
    for (size_t k = 0; k < s->count; k++) count += !s->done[k] && has(s, k, literal);
    return count;
}

/* The pure literal that settles the most; the sink if that is pure: then nothing else is needed. */
static uint32_t choose(const List *s, bool *found) {
    uint32_t best = 0;
    size_t most = 0;
    *found = s->state[0] == PURE;
    if (*found) return 0;
    for (uint32_t l = 1; l < s->literals; l++) {
        if (s->state[l] != PURE) continue;
        size_t count = settles(s, l);
        if (count > most) most = count, best = l;
    }
    *found = most > 0;
    return best;
}

Answer decision_list(Arena *arena, const Task *task, const uint32_t *members, size_t count,
                     Order *order, uint32_t **stuck, size_t *stuck_count) {
    Arena *scratch = arena_child(arena);
    List s = {.task = task, .members = members, .count = count};
    s.literals = literal_count(task, TASK_LONGEST);
    s.done = ARENA_ARRAY(scratch, count + 1, bool);
    s.label = ARENA_ARRAY(scratch, s.literals, uint32_t);
    s.state = ARENA_ARRAY(scratch, s.literals, uint8_t);
    uint32_t *list = ARENA_ARRAY(arena, s.literals, uint32_t), used = 0;
    size_t left = count;
    bool found = true;
    while (left && found) {
        budget_poll(arena_budget(arena));
        look(&s);
        uint32_t literal = choose(&s, &found);
        if (!found) break;
        list[used++] = literal;
        for (size_t k = 0; k < count; k++)
            if (!s.done[k] && has(&s, k, literal)) s.done[k] = true, left--;
    }
    *stuck = ARENA_ARRAY(arena, left + 1, uint32_t);
    *stuck_count = 0;
    for (size_t k = 0; k < count; k++)
        if (!s.done[k]) (*stuck)[(*stuck_count)++] = members[k];
    *order = (Order){list, used};
    arena_free(scratch);
    return left ? ANSWER_NO : ANSWER_YES;
}
