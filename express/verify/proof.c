/* Reverse unit propagation, forwards. */
#include "express/verify/proof.h"

#include "base/random.h"

#include <stdio.h>
#include <string.h>

/* Clauses lie one behind the other in `pool`, named by where they begin; two literals and more
 * are watched: by their first two.
 *
 *     [next in its bucket] [count, or -count when it is forgotten] [literal] ... [literal]
 */
enum { NEXT, SIZE, LITERALS };

typedef struct Watch {
    uint32_t clause;
    int32_t other; /* a literal of the clause: if it is true there is nothing to do */
} Watch;

typedef struct Watches {
    Watch *at;
    size_t count, room;
} Watches;

struct Proof {
    Check *check;
    int32_t *pool;
    size_t used, room, wasted;
    uint32_t *buckets; /* by hash, the first clause + 1 */
    size_t bucket_count, clause_count;
    /* Of literal l: index 2 |l| + (l < 0). */
    int8_t *values; /* 1 true, -1 false */
    size_t value_room;
    Watches *watches;
    size_t watch_room;
    uint32_t *marks; /* of literals, for doubles */
    size_t mark_room;
    uint32_t mark;
    int32_t variables;
    int32_t *trail;
    size_t trail_room, set, done; /* literals set, and how many of them were propagated */
    bool contradiction;
    /* The step that is read. */
    int32_t *step;
    size_t step_room, step_count;
};

static inline size_t index_of(int32_t literal) {
    return literal < 0 ? 2 * (size_t)-literal + 1 : 2 * (size_t)literal;
}

Proof *proof_new(Check *check) {
    Proof *p = ARENA_NEW(check->arena, Proof);
    p->check = check;
    p->bucket_count = 1024;
    p->buckets = BLOCK_GROW(check->arena, p->buckets, &(size_t){0}, p->bucket_count);
    return p;
}

static void room_for_variable(Proof *p, int32_t variable) {
    Arena *arena = p->check->arena;
    size_t need = 2 * (size_t)variable + 2;
    if (variable <= p->variables) return;
    p->variables = variable;
    p->values = BLOCK_GROW(arena, p->values, &p->value_room, need);
    p->watches = BLOCK_GROW(arena, p->watches, &p->watch_room, need);
    p->marks = BLOCK_GROW(arena, p->marks, &p->mark_room, need);
    p->trail = BLOCK_GROW(arena, p->trail, &p->trail_room, need);
}

/* --- propagation ------------------------------------------------------------------------ */

static inline void assign(Proof *p, int32_t literal) {
    p->values[index_of(literal)] = 1;
    p->values[index_of(-literal)] = -1;
    p->trail[p->set++] = literal;
}

static void watch(Proof *p, int32_t literal, uint32_t clause, int32_t other) {
    Watches *w = &p->watches[index_of(literal)];
    w->at = BLOCK_GROW(p->check->arena, w->at, &w->room, w->count + 1);
    w->at[w->count++] = (Watch){clause, other};
}

/* Another literal to watch, put in second place. */
static bool move_watch(Proof *p, uint32_t clause) {
    int32_t *literals = p->pool + clause + LITERALS;
    for (int32_t k = 2, count = p->pool[clause + SIZE]; k < count; k++)
        if (p->values[index_of(literals[k])] >= 0) {
            int32_t found = literals[k];
            literals[k] = literals[1];
            literals[1] = found;
            watch(p, found, clause, literals[0]);
            return true;
        }
    return false;
}

/* `literal` has become false.  False: a clause has nothing left. */
static bool propagate_false(Proof *p, int32_t literal) {
    Watches *w = &p->watches[index_of(literal)];
    size_t kept = 0, k = 0;
    bool fine = true;
    while (k < w->count) {
        Watch at = w->at[k++];
        if (p->values[index_of(at.other)] > 0) {
            w->at[kept++] = at;
            continue;
        }
        int32_t *literals = p->pool + at.clause + LITERALS;
        if (p->pool[at.clause + SIZE] < 0) continue; /* forgotten */
        if (literals[0] == literal) literals[0] = literals[1], literals[1] = literal;
        at.other = literals[0];
        bool satisfied = p->values[index_of(at.other)] > 0;
        if (!satisfied && move_watch(p, at.clause)) continue;
        w->at[kept++] = at;
        if (satisfied) continue;
        fine = p->values[index_of(at.other)] == 0;
        if (!fine) break;
        assign(p, at.other);
    }
    while (k < w->count) w->at[kept++] = w->at[k++];
    w->count = kept;
    return fine;
}

static bool propagate(Proof *p) {
    while (p->done < p->set)
        if (!propagate_false(p, -p->trail[p->done++])) return false;
    return true;
}

static void take_back(Proof *p, size_t set) {
    while (p->set > set) {
        int32_t literal = p->trail[--p->set];
        p->values[index_of(literal)] = p->values[index_of(-literal)] = 0;
    }
    p->done = set;
}

/* --- clauses ---------------------------------------------------------------------------- */

/* Whatever the order of the literals. */
static uint64_t clause_hash(const int32_t *literals, size_t count) {
    uint64_t sum = count;
    for (size_t k = 0; k < count; k++) sum += random_mix((uint64_t)(uint32_t)literals[k] + 1);
    return random_mix(sum);
}

static void put_in_bucket(Proof *p, uint32_t clause) {
    const int32_t *literals = p->pool + clause + LITERALS;
    uint64_t hash = clause_hash(literals, (size_t)p->pool[clause + SIZE]);
    uint32_t *bucket = &p->buckets[hash & (p->bucket_count - 1)];
    p->pool[clause + NEXT] = (int32_t)*bucket;
    *bucket = clause + 1;
}

static size_t width_of(const Proof *p, size_t clause) {
    int32_t size = p->pool[clause + SIZE];
    return LITERALS + (size_t)(size < 0 ? -size : size);
}

static void all_in_buckets(Proof *p) {
    memset(p->buckets, 0, p->bucket_count * sizeof *p->buckets);
    for (size_t c = 0; c < p->used; c += width_of(p, c))
        if (p->pool[c + SIZE] >= 0) put_in_bucket(p, (uint32_t)c);
}

static void more_buckets(Proof *p) {
    if (p->clause_count < p->bucket_count) return;
    p->buckets = BLOCK_GROW(p->check->arena, p->buckets, &p->bucket_count, p->bucket_count + 1);
    all_in_buckets(p);
}

/* Moves the clauses together.  Nothing is assumed now, and all that follows was set: a clause
 * has a true literal, or its first two are not false. */
static void collect(Proof *p) {
    size_t to = 0;
    for (size_t k = 0; k < 2 * (size_t)p->variables + 2; k++) p->watches[k].count = 0;
    for (size_t c = 0, width; c < p->used; c += width) {
        width = width_of(p, c);
        if (p->pool[c + SIZE] < 0) continue;
        memmove(p->pool + to, p->pool + c, width * sizeof *p->pool);
        if (width >= LITERALS + 2) {
            const int32_t *literals = p->pool + to + LITERALS;
            watch(p, literals[0], (uint32_t)to, literals[1]);
            watch(p, literals[1], (uint32_t)to, literals[0]);
        }
        to += width;
    }
    p->used = to;
    p->wasted = 0;
    all_in_buckets(p);
}

/* Removes doubles. */
static size_t without_doubles(Proof *p, int32_t *literals, size_t count) {
    size_t kept = 0;
    p->mark++;
    for (size_t k = 0; k < count; k++) {
        uint32_t *mark = &p->marks[index_of(literals[k])];
        if (*mark != p->mark) literals[kept++] = literals[k];
        *mark = p->mark;
    }
    return kept;
}

/* Puts literals that are not false, two if there are, in front; gives how many, at most two. */
static size_t best_first(Proof *p, int32_t *literals, size_t count) {
    size_t good = 0;
    for (size_t k = 0; k < count && good < 2; k++)
        if (p->values[index_of(literals[k])] >= 0) {
            int32_t literal = literals[k];
            literals[k] = literals[good];
            literals[good++] = literal;
        }
    return good;
}

/* Keeps the clause, whose literals were made distinct, and sets what follows. */
static void add_clause(Proof *p, const int32_t *literals, size_t count) {
    size_t clause = p->used;
    if (clause + LITERALS + count > INT32_MAX / 2)
        budget_stop(&p->check->budget, BUDGET_OUT_OF_MEMORY);
    p->pool = BLOCK_GROW(p->check->arena, p->pool, &p->room, clause + LITERALS + count);
    more_buckets(p);
    p->used += LITERALS + count;
    int32_t *copy = p->pool + clause + LITERALS;
    p->pool[clause + SIZE] = (int32_t)count;
    memcpy(copy, literals, count * sizeof *copy);
    p->clause_count++;
    put_in_bucket(p, (uint32_t)clause);
    size_t good = best_first(p, copy, count);
    if (count >= 2) {
        watch(p, copy[0], (uint32_t)clause, copy[1]);
        watch(p, copy[1], (uint32_t)clause, copy[0]);
    }
    if (good == 0)
        p->contradiction = true;
    else if (good == 1 && p->values[index_of(copy[0])] == 0) {
        assign(p, copy[0]);
        if (!propagate(p)) p->contradiction = true;
    }
}

void proof_clause(Proof *p, const int32_t *literals, size_t count) {
    p->step = BLOCK_GROW(p->check->arena, p->step, &p->step_room, count);
    for (size_t k = 0; k < count; k++) {
        p->step[k] = literals[k];
        room_for_variable(p, literals[k] < 0 ? -literals[k] : literals[k]);
    }
    if (!p->contradiction) add_clause(p, p->step, without_doubles(p, p->step, count));
}

/* --- steps ------------------------------------------------------------------------------ */

/* Does the clause follow by unit propagation? */
static bool follows(Proof *p, const int32_t *literals, size_t count) {
    size_t before = p->set;
    bool fine = true; /* nothing contradicts the assumption */
    for (size_t k = 0; fine && k < count; k++) {
        int8_t value = p->values[index_of(literals[k])];
        if (value > 0) fine = false;
        if (value == 0) assign(p, -literals[k]);
    }
    if (fine) fine = propagate(p);
    take_back(p, before);
    return !fine;
}

static bool is_clause(Proof *p, uint32_t clause, size_t count) {
    const int32_t *literals = p->pool + clause + LITERALS;
    if (p->pool[clause + SIZE] != (int32_t)count) return false;
    for (size_t k = 0; k < count; k++) /* the step's literals are marked */
        if (p->marks[index_of(literals[k])] != p->mark) return false;
    return true;
}

/* False: it is not there. */
static bool forget(Proof *p, const int32_t *literals, size_t count) {
    uint32_t *link = &p->buckets[clause_hash(literals, count) & (p->bucket_count - 1)];
    while (*link) {
        uint32_t clause = *link - 1;
        if (is_clause(p, clause, count)) {
            *link = (uint32_t)p->pool[clause + NEXT];
            p->pool[clause + SIZE] = -(int32_t)count;
            p->clause_count--;
            p->wasted += LITERALS + count;
            return true;
        }
        link = (uint32_t *)&p->pool[clause + NEXT];
    }
    return false;
}

/* "step 12, '3 -7 0', what" */
static bool refuse_step(Proof *p, size_t line, bool forgets, const char *what) {
    char text[200];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", forgets ? "d " : "");
    for (size_t k = 0; k < p->step_count && used < sizeof text - 20; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d ", p->step[k]);
    return refuse(p->check, "line %zu of the proof, '%s%s', %s", line, text,
                  used < sizeof text - 20 ? "0" : "...", what);
}

static bool take_step(Proof *p, size_t line, bool forgets) {
    size_t count = without_doubles(p, p->step, p->step_count);
    if (forgets) {
        if (!forget(p, p->step, count))
            return refuse_step(p, line, true, "forgets a clause that is not there");
        if (p->wasted > p->used / 2 && p->wasted > 1 << 16) collect(p);
        return true;
    }
    if (!follows(p, p->step, count))
        return refuse_step(p, line, false,
                           "does not follow from the clauses before it by unit propagation");
    add_clause(p, p->step, count);
    return true;
}

/* A number of the text, which ends with a NUL; 0 is fine.  False: there is none. */
static bool read_literal(const char **text, int32_t limit, int32_t *literal) {
    const char *at = *text;
    bool negative = *at == '-';
    int64_t number = 0;
    if (negative) at++;
    if (*at < '0' || *at > '9') return false;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = number * 10 + (*at - '0');
        if (number > limit) return false;
    }
    if (*at != ' ' && *at != '\n' && *at != '\r' && *at != '\0') return false;
    *literal = (int32_t)(negative ? -number : number);
    *text = at;
    return true;
}

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\r') at++;
    return at;
}

/* The literals of a line, behind the `d`, into p->step. */
static bool read_step(Proof *p, const char **text, size_t line) {
    int32_t literal = 1;
    p->step_count = 0;
    while (literal) {
        *text = skip_blanks(*text);
        if (!read_literal(text, p->variables, &literal))
            return refuse(p->check,
                          "expected literals from -%d to %d and 0 in line %zu of the proof, found "
                          "'%.20s'",
                          p->variables, p->variables, line, *text);
        if (!literal) break;
        p->step = BLOCK_GROW(p->check->arena, p->step, &p->step_room, p->step_count + 1);
        p->step[p->step_count++] = literal;
    }
    *text = skip_blanks(*text);
    if (**text && **text != '\n')
        return refuse(p->check, "line %zu of the proof goes on behind its 0", line);
    if (**text) ++*text;
    return true;
}

bool proof_steps(Proof *p, const char *text, size_t length, size_t *steps) {
    const char *end = text + length;
    *steps = 0;
    if (!p->contradiction && !propagate(p)) p->contradiction = true;
    for (size_t line = 1; !p->contradiction; line++) {
        budget_poll(&p->check->budget);
        if (text >= end)
            return refuse(p->check,
                          "the proof ends before the empty clause: its %zu lines do not show that "
                          "the clauses contradict one another",
                          line - 1);
        bool forgets = *text == 'd';
        if (forgets) text++;
        if (!read_step(p, &text, line) || !take_step(p, line, forgets)) return false;
        *steps += !forgets;
    }
    return true;
}
