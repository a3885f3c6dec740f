/* The checker of proofs: on random formulas, which all assignments decide. */
#include "tests/unit/express_tasks.h"

#include "express/verify/proof.h"

/* Random clauses of three literals, sometimes with doubles or both signs. */
static Formula *random_formula(Random *random, int variables, int clauses) {
    Formula *f = calloc(1, sizeof *f);
    f->variables = variables;
    for (int k = 0; k < clauses; k++) {
        int literals[3];
        for (int i = 0; i < 3; i++) {
            literals[i] = 1 + (int)random_below(random, (uint64_t)variables);
            if (random_below(random, 2)) literals[i] = -literals[i];
        }
        formula_add(f, literals, random_below(random, 12) ? 3 : 1 + (int)random_below(random, 2));
    }
    return f;
}

static bool holds(const int *clause, unsigned assignment) {
    for (; *clause; clause++)
        if ((assignment >> abs(*clause) & 1) == (*clause > 0)) return true;
    return false;
}

static bool satisfiable(const Formula *f, int clauses) {
    for (unsigned assignment = 0; assignment < 2u << f->variables; assignment++) {
        int k = 0;
        while (k < clauses && holds(f->clause[k], assignment)) k++;
        if (k == clauses) return true;
    }
    return false;
}

/* Does the checker accept? */
static bool accepts(const Formula *f, int clauses, const char *proof, char text[1024]) {
    size_t steps;
    RaspError error = {.status = RASP_OK};
    Check check = {.error = &error};
    budget_init(&check.budget, SIZE_MAX);
    check.arena = arena_new(&check.budget);
    Proof *p = proof_new(&check);
    for (int k = 0; k < clauses; k++) {
        size_t count = 0;
        while (f->clause[k][count]) count++;
        proof_clause(p, f->clause[k], count);
    }
    bool accepted = proof_steps(p, proof, strlen(proof), &steps);
    assert_true(accepted == (error.status == RASP_OK));
    snprintf(text, 1024, "%s", error.text);
    arena_free(check.arena);
    return accepted;
}

/* Steps that are drawn: clauses of the formula or others, added or forgotten, and the empty one. */
static char *random_proof(Random *random, const Formula *f, int clauses) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (uint64_t k = random_below(random, 30); k > 0; k--) {
        if (random_below(random, 3) == 0) fputs("d ", out);
        if (random_below(random, 2))
            for (const int *l = f->clause[random_below(random, (uint64_t)clauses)]; *l; l++)
                fprintf(out, "%d ", *l);
        else
            for (uint64_t i = random_below(random, 3) + 1; i > 0; i--)
                fprintf(out, "%s%d ", random_below(random, 2) ? "-" : "",
                        1 + (int)random_below(random, (uint64_t)f->variables));
        fputs("0\n", out);
    }
    fputs("0\n", out);
    fclose(out);
    return text;
}

static void random_formulas(void **state) {
    (void)state;
    char reason[1024];
    size_t contradictions = 0;
    Random random = {11};
    for (int round = 0; round < 3000; round++) {
        int variables = 3 + (int)random_below(&random, 6);
        int clauses = variables * (2 + (int)random_below(&random, 4));
        Formula *f = random_formula(&random, variables, clauses);
        bool possible = satisfiable(f, clauses);
        char *proof, *noise = random_proof(&random, f, clauses);
        assert_true(formula_solve(f, &proof) == possible);
        if (accepts(f, clauses, proof, reason) == possible) fail_msg("%s", reason);
        if (possible) assert_false(accepts(f, clauses, noise, reason));
        contradictions += !possible;
        free(noise);
        free(proof);
        formula_free(f);
    }
    assert_true(contradictions > 500 && contradictions < 2500);
}

/* So many pigeons in one hole less: no pigeon without a hole, no hole with two. */
static Formula *pigeons(int count) {
    Formula *f = calloc(1, sizeof *f);
    int holes = count - 1, clause[10];
    f->variables = count * holes;
    for (int p = 0; p < count; p++) {
        for (int h = 0; h < holes; h++) clause[h] = p * holes + h + 1;
        formula_add(f, clause, holes);
    }
    for (int h = 0; h < holes; h++)
        for (int p = 0; p < count; p++)
            for (int q = 0; q < p; q++) ADD(f, -(p * holes + h + 1), -(q * holes + h + 1));
    return f;
}

/* Clauses that come and go between the steps change nothing, and their memory is used again. */
static void forgotten_clauses(void **state) {
    (void)state;
    char *proof, *long_proof, reason[1024];
    size_t size, lines = 0;
    Formula *f = pigeons(5);
    int clauses = f->count;
    assert_false(formula_solve(f, &proof));
    assert_true(accepts(f, clauses, proof, reason));
    assert_false(accepts(f, clauses, "0\n", reason));
    FILE *out = open_memstream(&long_proof, &size);
    for (char *line = proof, *end; *line; line = end + 1, lines++) {
        end = strchr(line, '\n');
        for (int k = 0; k < 4000; k++) fputs("1 2 3 4 5 0\nd 4 5 2 3 1 0\n", out);
        fprintf(out, "%.*s\n", (int)(end - line), line);
    }
    fclose(out);
    assert_true(lines > 10);
    if (!accepts(f, clauses, long_proof, reason)) fail_msg("%s", reason);
    /* What is forgotten is gone, but what it led to stays. */
    assert_false(accepts(f, clauses, "d 1 2 3 4 0\nd 1 2 3 4 0\n", reason));
    assert_non_null(strstr(reason, "line 2 of the proof, 'd 1 2 3 4 0', forgets a clause"));
    free(long_proof);
    free(proof);
    formula_free(f);
    f = calloc(1, sizeof *f);
    f->variables = 3;
    ADD(f, 1);
    ADD(f, -1, 2);
    ADD(f, -2, 3, -1);
    ADD(f, -2, -3);
    assert_true(accepts(f, 4, "", reason)); /* propagation alone */
    assert_false(accepts(f, 3, "d 1 0\nd -1 2 0\n2 0\n3 0\n0\n", reason));
    assert_non_null(strstr(reason, "line 5 of the proof, '0', does not follow"));
    formula_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_formulas),
        cmocka_unit_test(forgotten_clauses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
