/* The order of the checks, and what they are given. */
#include "express/verify/verify.h"

#include "express/verify/bound.h"
#include "express/verify/clauses.h"
#include "express/verify/grammar.h"
#include "express/verify/layer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- no --------------------------------------------------------------------------------- */

/* Pairs have different labels; and one key, where the layer sees position and token. */
static bool check_pairs(Check *check, const Certificate *c) {
    bool keyed = c->class < CLASS_NO_POSITIONS;
    if (c->pair_count == 0) return refuse(check, "expected pairs in the certificate, found none");
    for (size_t j = 0; j < c->pair_count; j++) {
        const Instance *x = &c->instances[c->pairs[j].x], *y = &c->instances[c->pairs[j].y];
        const Instance *first = &c->instances[c->pairs[0].x];
        if (x->label == y->label)
            return refuse(check, "the instances %u and %u of pair %zu have the same label",
                          c->pairs[j].x, c->pairs[j].y, j);
        if (!keyed) continue;
        if (x->position != y->position || x->tokens[x->position] != y->tokens[y->position])
            return refuse(check,
                          "the instances %u and %u of pair %zu differ in their position or in the "
                          "token there, so they need no head",
                          c->pairs[j].x, c->pairs[j].y, j);
        if (c->class == CLASS_UNIQUE && (x->position != first->position ||
                                         x->tokens[x->position] != first->tokens[first->position]))
            return refuse(check, "expected pairs of one key, pair %zu has another than pair 0", j);
    }
    return true;
}

static bool check_no(Check *check, const Certificate *c, Domain *domain) {
    if (c->class == CLASS_BITS) return bound_bits(check, c, domain);
    if (c->class == CLASS_UNIQUE && json_object_get(c->document, "stuck"))
        return bound_stuck(check, c);
    if (!check_pairs(check, c)) return false;
    switch (c->class) {
    case CLASS_RELATIVE:
    case CLASS_ABSOLUTE:
        return grammar_refutes(check, c);
    case CLASS_NO_POSITIONS:
        return bound_no_positions(check, c);
    case CLASS_WINDOW:
        return bound_window(check, c);
    default:
        return clauses_check(check, c);
    }
}

/* --- the verdict in words --------------------------------------------------------------- */

static void state_class(const Certificate *c, char *text, size_t size) {
    size_t used =
        (size_t)snprintf(text, size, "%s layer of class '%s'", c->yes ? "a" : "no", c->class_name);
    if (c->class == CLASS_AVERAGE)
        snprintf(text + used, size - used, " with %zu head%s of %zu value%s", c->heads,
                 c->heads == 1 ? "" : "s", c->values, c->values == 1 ? "" : "s");
    else if (c->class < CLASS_NO_POSITIONS && c->heads)
        snprintf(text + used, size - used, " with %zu head%s", c->heads, c->heads == 1 ? "" : "s");
    else if (c->class < CLASS_NO_POSITIONS)
        snprintf(text + used, size - used, " with any number of heads");
    else if (c->class == CLASS_NO_POSITIONS)
        snprintf(text + used, size - used, " (mask %s)", c->causal ? "causal" : "none");
    else if (c->class == CLASS_WINDOW)
        snprintf(text + used, size - used, " (distance %zu)", c->distance);
    else
        snprintf(text + used, size - used, " (%zu bits)", c->bits);
}

static void state(ExpressVerdict *v, const Certificate *c) {
    char class[128];
    state_class(c, class, sizeof class);
    v->possible = c->yes;
    v->class = c->class_name;
    v->heads = (unsigned)c->heads;
    v->values = (unsigned)c->values;
    v->max_length = (unsigned)c->max_length;
    v->instances = c->instance_count;
    v->pairs = c->pair_count;
    snprintf(v->statement, sizeof v->statement, "%s does the task on all inputs of 1 to %zu tokens",
             class, c->max_length);
    if (c->yes)
        snprintf(v->evidence, sizeof v->evidence, "run on %zu instances%s", v->total,
                 c->source ? ", and so was its program" : "");
    else if (v->clauses)
        snprintf(v->evidence, sizeof v->evidence,
                 "%zu pairs of %zu instances, %zu clauses, %zu proof steps", v->pairs, v->instances,
                 v->clauses, v->steps);
    else
        snprintf(v->evidence, sizeof v->evidence, "%zu instances", v->instances);
}

/* --- all of it -------------------------------------------------------------------------- */

typedef struct Text {
    const char *text;
    size_t length;
} Text;

static bool check_all(Check *check, Text text) {
    Certificate c = {0};
    Domain *domain;
    size_t total = 0;
    if (!certificate_read(check, &c, text.text, text.length) ||
        !(domain = domain_open(check, &c)) || !domain_check(domain, &c))
        return false;
    /* The count of the instances is the last word on the domain, and cheap beside a search. */
    if (c.yes ? !layer_holds(check, &c, domain, &total)
              : (c.counted && !domain_each(domain, NULL, NULL, &total)))
        return false;
    if (c.counted && total != c.total)
        return refuse(check, "expected %zu instances of the task as 'total', found %zu", total,
                      c.total);
    if (!c.yes && !check_no(check, &c, domain)) return false;
    check->verdict->total = total;
    state(check->verdict, &c);
    return true;
}

static bool stopped(Check *check) {
    static const RaspStatus statuses[] = {[BUDGET_OUT_OF_MEMORY] = RASP_OUT_OF_MEMORY,
                                          [BUDGET_CANCELLED] = RASP_CANCELLED,
                                          [BUDGET_OUT_OF_TIME] = RASP_OUT_OF_TIME};
    check->error->status = statuses[check->budget.stop];
    budget_message(&check->budget, check->error->text, sizeof check->error->text);
    return false;
}

static void give_back(Check *check) {
    rasp_run_free(check->run);
    rasp_program_free(check->answer);
    rasp_program_free(check->program);
    json_decref(check->document);
    arena_free(check->arena);
}

/* The text, or the file if there is none. */
static bool verify(Check *check, const char *path, Text text);

static bool guarded(const char *path, Text text, const RaspConfig *config, ExpressVerdict *verdict,
                    RaspError *error) {
    BudgetGuard guard;
    RaspError unwanted;
    Check check = {.error = error ? error : &unwanted, .verdict = verdict};
    if (config) check.config = *config;
    memset(check.error, 0, sizeof *check.error);
    memset(verdict, 0, sizeof *verdict);
    budget_init(&check.budget, check.config.memory ? check.config.memory : BUDGET_DEFAULT_LIMIT);
    check.budget.cancel = check.config.cancel;
    budget_time(&check.budget, check.config.cpu_seconds);
    Check *volatile kept = &check;
    const char *volatile name = path;
    volatile bool holds = false;
    if (BUDGET_ENTER(&check.budget, &guard)) {
        check.arena = arena_new(&check.budget);
        holds = verify(&check, path, text);
        budget_leave(&check.budget, &guard);
    } else {
        holds = stopped(kept);
    }
    give_back(kept);
    snprintf(kept->error->source, sizeof kept->error->source, "%s", holds ? "" : name);
    return holds;
}

/* --- files ------------------------------------------------------------------------------ */

static bool read_all(Check *check, FILE *file, Text *text) {
    char *bytes = NULL;
    size_t room = 0, length = 0, read;
    do {
        budget_poll(&check->budget);
        bytes = BLOCK_GROW(check->arena, bytes, &room, length + (1 << 16));
        read = fread(bytes + length, 1, room - length, file);
        length += read;
    } while (read);
    *text = (Text){bytes, length};
    return !ferror(file);
}

static bool verify(Check *check, const char *path, Text text) {
    if (text.text) return check_all(check, text);
    /* A stop while it is read leaves the file open; the guard below closes it first. */
    FILE *volatile file = fopen(path, "rb");
    BudgetGuard guard;
    volatile bool fine = false;
    if (!file) {
        refuse(check, "cannot read '%.200s': %s", path, strerror(errno));
        check->error->status = RASP_NO_FILE;
        return false;
    }
    if (BUDGET_ENTER(&check->budget, &guard)) {
        fine = read_all(check, file, &text);
        budget_leave(&check->budget, &guard);
        fclose(file);
    } else {
        fclose(file);
        budget_stop(&check->budget, check->budget.stop);
    }
    if (fine) return check_all(check, text);
    refuse(check, "cannot read '%.200s'", path);
    check->error->status = RASP_NO_FILE;
    return false;
}

bool express_verify(const char *path, const RaspConfig *config, ExpressVerdict *verdict,
                    RaspError *error) {
    return guarded(path, (Text){NULL, 0}, config, verdict, error);
}

bool express_verify_text(const char *text, size_t length, const char *name,
                         const RaspConfig *config, ExpressVerdict *verdict, RaspError *error) {
    return guarded(name, (Text){text, length}, config, verdict, error);
}
