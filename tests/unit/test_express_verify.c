/* The verifier of certificates: against all layers of tiny sizes, and against certificates that
 * were tampered with. */
#include "tests/unit/express_writer.h"

static void sound(const json_t *certificate, bool expected) {
    RaspError error;
    ExpressVerdict verdict;
    if (verify_json(certificate, &verdict, &error) != expected)
        fail_msg("%s", expected ? error.text : verdict.statement);
}

/* --- all layers of tiny sizes ----------------------------------------------------------- */

typedef struct Size {
    int longest, symbols, last, labels, heads, values, rounds;
} Size;

/* The "no" certificate of the formula; NULL: it is satisfiable. */
static json_t *no_certificate(const Tiny *t, bool unique, int heads, int values,
                              const TinyPairs *pairs) {
    Formula *f =
        unique ? unique_formula(t, pairs, heads) : average_formula(t, pairs, heads, values);
    char *proof, *cnf = formula_text(f);
    bool satisfiable = formula_solve(f, &proof);
    json_t *c = head_json(t, unique ? "unique" : "average", heads, values, "no");
    put_pairs(c, t, pairs);
    json_object_set_new(c, "cnf", json_string(cnf));
    json_object_set_new(c, "proof", json_string(proof));
    if (satisfiable) { /* nothing proves it: neither what was learned nor the bare end */
        sound(c, false);
        json_object_set_new(c, "proof", json_string("0\n"));
        sound(c, false);
        json_decref(c);
        c = NULL;
    }
    free(proof);
    free(cnf);
    formula_free(f);
    return c;
}

static void check_task(const Tiny *t, bool unique, int heads, int values) {
    static TinySearch s;
    bool possible = unique ? tiny_unique(&s, t, heads) : tiny_average(&s, t, heads, values);
    TinyPairs *pairs = all_pairs(t, unique && !possible ? s.key : -1);
    if (possible) {
        json_t *yes = head_json(t, unique ? "unique" : "average", heads, values, "yes");
        json_object_set_new(yes, "layer", layer_json(&s, unique));
        sound(yes, true);
        json_decref(yes);
    }
    if (pairs->count && !(unique && possible)) {
        json_t *no = no_certificate(t, unique, heads, values, pairs);
        assert_true(!no == possible);
        if (no) sound(no, true);
        json_decref(no);
    }
    free(pairs);
}

static void check_sizes(const Size *sizes, size_t count, bool unique) {
    Random random = {7};
    for (size_t k = 0; k < count; k++)
        for (int round = 0; round < sizes[k].rounds; round++) {
            const Size *z = &sizes[k];
            Tiny t = tiny_random(&random, z->longest, z->symbols, z->last, z->labels);
            check_task(&t, unique, z->heads, z->values);
        }
}

static void average_agrees_with_all_layers(void **state) {
    (void)state;
    static const Size sizes[] = {
        {2, 2, 1, 2, 1, 1, 60}, {2, 2, 0, 2, 1, 1, 100}, {2, 2, 0, 3, 1, 1, 60},
        {3, 2, 1, 2, 1, 1, 60}, {3, 2, 0, 2, 1, 1, 20},  {2, 3, 1, 2, 1, 1, 30},
        {2, 2, 0, 4, 1, 2, 20}, {2, 2, 0, 4, 2, 1, 10},
    };
    check_sizes(sizes, sizeof sizes / sizeof *sizes, false);
}

static void unique_agrees_with_all_layers(void **state) {
    (void)state;
    static const Size sizes[] = {
        {2, 2, 1, 2, 1, 1, 60}, {2, 2, 0, 3, 1, 1, 100}, {3, 2, 1, 2, 1, 1, 100},
        {3, 2, 0, 2, 1, 1, 60}, {2, 3, 1, 2, 1, 1, 30},  {3, 2, 1, 3, 2, 1, 20},
        {3, 2, 0, 3, 2, 1, 10},
    };
    check_sizes(sizes, sizeof sizes / sizeof *sizes, true);
}

/* --- one certificate, changed ----------------------------------------------------------- */

static Tiny parity(int longest) {
    Random random = {1};
    Tiny t = tiny_random(&random, longest, 2, true, 2);
    for (int k = 0; k < t.count; k++) {
        t.at[k].label = 0;
        for (int i = 0; i < t.at[k].length; i++) t.at[k].label ^= t.at[k].x[i];
    }
    return t;
}

/* No unique head computes parity of three tokens, nor two that of four. */
static json_t *parity_certificate(int heads) {
    Tiny t = parity(heads + 2);
    TinyPairs *pairs = all_pairs(&t, (heads + 1) * 2);
    json_t *c = no_certificate(&t, true, heads, 1, pairs);
    free(pairs);
    assert_non_null(c);
    return c;
}

/* Refused, and for that reason. */
static void refused(json_t *certificate, const char *reason) {
    RaspError error;
    ExpressVerdict verdict;
    if (verify_json(certificate, &verdict, &error)) fail_msg("not refused: %s", reason);
    assert_int_equal(error.status, RASP_WRONG_FILE);
    if (!strstr(error.text, reason)) fail_msg("expected '%s', found '%s'", reason, error.text);
    json_decref(certificate);
}

static json_t *with(const char *field, json_t *value) {
    json_t *c = parity_certificate(2);
    json_object_set_new(c, field, value);
    return c;
}

static json_t *without(const char *field) {
    json_t *c = parity_certificate(2);
    json_object_del(c, field);
    return c;
}

static json_t *at(json_t *c, const char *field, size_t k) {
    return json_array_get(json_object_get(c, field), k);
}

static void what_is_stated_cannot_be_changed(void **state) {
    (void)state;
    json_t *right = parity_certificate(2);
    sound(right, true);
    json_decref(right);
    refused(with("class", json_string("average")), "of the CNF, found");
    refused(with("class", json_string("relative")), "of the grammar 'relative' tell the");
    refused(with("class", json_string("no-positions")), "no field 'mask'");
    refused(with("class", json_string("best")), "expected the class average");
    refused(with("heads", json_integer(1)), "of the CNF");
    refused(with("heads", json_integer(3)), "of the CNF");
    refused(with("heads", json_integer(0)), "expected 'heads'");
    refused(with("max_length", json_integer(3)), "expected an input of 1 to 3 tokens");
    refused(with("max_length", json_integer(5)), "expected max_length 4");
    refused(with("last", json_false()), "expected a list of labels");
    refused(with("alphabet", json_pack("[ss]", "a", "c")), "not in the alphabet");
    refused(with("alphabet", json_pack("[s]", "a")), "not in the alphabet");
    refused(with("alphabet", json_pack("[sss]", "a", "b", "c")), "in no line of the task");
    refused(with("alphabet", json_pack("[sss]", "a", "b", "b")), "twice");
    refused(with("first", json_string("a")), "does not start with");
    refused(with("total", json_integer(31)), "expected 30 instances");
    refused(without("total"), "no field 'total'");
    refused(with("verdict", json_string("yes")), "no field 'layer'");
    refused(with("format", json_string("rasp-express/2")), "rasp-express/1");
    refused(with("program", json_pack("{s:s}", "source", "x = tokens;")), "found both");
    refused(without("task"), "found none");
    refused(with("where", json_string("tokens == \"a\"")), "'where' needs a program");
}

static void labels_and_pairs_cannot_be_changed(void **state) {
    (void)state;
    json_t *c = parity_certificate(2);
    json_t *label = json_object_get(at(c, "instances", 20), "label");
    json_integer_set(label, 1 - json_integer_value(label));
    refused(c, "of instance 20");
    c = parity_certificate(2); /* consistent, but another task than its own pairs say */
    for (size_t k = 0; k < 30; k++) {
        label = json_object_get(at(c, "task", k), "output");
        if (k >= 15) json_integer_set(label, 0);
    }
    refused(c, "expected the label 0");
    c = parity_certificate(2);
    json_object_set_new(at(c, "instances", 20), "position", json_integer(2));
    refused(c, "expected 'position'");
    c = parity_certificate(2);
    json_array_set_new(at(c, "pairs", 3), 1, json_integer(400));
    refused(c, "expected two of the 30 instances");
    c = parity_certificate(2);
    json_array_set(at(c, "pairs", 3), 1, json_array_get(at(c, "pairs", 3), 0));
    refused(c, "have the same label");
    c = parity_certificate(2);
    json_array_set_new(at(c, "pairs", 0), 0, json_integer(0));
    json_array_set_new(at(c, "pairs", 0), 1, json_integer(1));
    refused(c, "differ in their position or in the token");
    c = parity_certificate(2);
    json_array_remove(json_object_get(c, "pairs"), 0);
    refused(c, "of the CNF");
    c = parity_certificate(2);
    json_array_insert(json_object_get(c, "pairs"), 0, at(c, "pairs", 1));
    refused(c, "of the CNF");
    refused(with("pairs", json_array()), "found none");
}

/* Texts of the CNF and the proof with one place changed. */
static json_t *edited(const char *field, const char *from, const char *to) {
    json_t *c = parity_certificate(2);
    const char *text = json_string_value(json_object_get(c, field));
    const char *place = strstr(text, from);
    assert_non_null(place);
    json_t *value = json_sprintf("%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
    json_object_set_new(c, field, value);
    return c;
}

static void clauses_and_steps_cannot_be_changed(void **state) {
    (void)state;
    refused(edited("cnf", "-1 ", "1 "), "of the CNF");
    refused(edited("cnf", " 0\n", " 0\n1 2 0\n"), "of the CNF");
    refused(edited("cnf", "p cnf ", "p cnf 1"), "expected the CNF to begin with");
    refused(edited("cnf", "p cnf ", "p  cnf "), "expected the CNF to begin with");
    json_t *c = parity_certificate(2);
    const char *cnf = json_string_value(json_object_get(c, "cnf"));
    json_object_set_new(c, "cnf", json_sprintf("%s1 0\n", cnf));
    refused(c, "goes on behind its");
    c = parity_certificate(2);
    cnf = json_string_value(json_object_get(c, "cnf"));
    json_object_set_new(c, "cnf", json_stringn(cnf, strlen(cnf) - 5));
    refused(c, "of the CNF");
    refused(with("proof", json_string("")), "ends before the empty clause");
    refused(with("proof", json_string("0\n")), "does not follow");
    refused(with("proof", json_string("1 0\n")), "line 1 of the proof, '1 0'");
    refused(with("proof", json_string("d 1 0\n")), "forgets a clause that is not there");
    refused(with("proof", json_string("9999 0\n")), "expected literals from");
    refused(with("proof", json_string("1 x 0\n")), "expected literals from");
    refused(with("proof", json_string("1 - 0\n")), "expected literals from");
    refused(with("proof", json_string("1 2")), "expected literals from");
    refused(with("proof", json_string("0 1\n")), "goes on behind its 0");
    refused(without("proof"), "no field 'proof'");
    refused(without("cnf"), "no field 'cnf'");
}

/* A proof of which no step can be spared: each one left out is missed. */
static void missing_steps_are_missed(void **state) {
    (void)state;
    RaspError error;
    ExpressVerdict verdict;
    json_t *c = parity_certificate(2);
    char *proof = strdup(json_string_value(json_object_get(c, "proof")));
    size_t missed = 0, steps = 0;
    for (int round = 0; round < 2; round++)
        for (char *line = proof + strlen(proof); line > proof;) {
            do line--;
            while (line > proof && line[-1] != '\n');
            char *behind = strchr(line, '\n') + 1;
            json_object_set_new(c, "proof",
                                json_sprintf("%.*s%s", (int)(line - proof), proof, behind));
            bool spared = verify_json(c, &verdict, &error);
            /* The last step is spared when a step before it leads to the contradiction. */
            if (round == 0 && spared) memmove(line, behind, strlen(behind) + 1);
            steps += round == 1;
            missed += round == 1 && !spared;
        }
    assert_true(steps > 3);
    assert_int_equal(missed, steps);
    free(proof);
    json_decref(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(average_agrees_with_all_layers),
        cmocka_unit_test(unique_agrees_with_all_layers),
        cmocka_unit_test(what_is_stated_cannot_be_changed),
        cmocka_unit_test(labels_and_pairs_cannot_be_changed),
        cmocka_unit_test(clauses_and_steps_cannot_be_changed),
        cmocka_unit_test(missing_steps_are_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
