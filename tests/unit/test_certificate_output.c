/* Reading the outputs: how much a number may stray until another value is read, by trying it; and
 * what is said of floats that are read one for the other.
 *
 * (test_certificate.c judges whole models; there the margin of an output is hardly ever the
 * tightest, so that a wrong one shows nowhere else.) */
#define certificate_output read_output
#include "compile/prove/certificate_output.c"
#undef certificate_output

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

enum { MOST_VALUES = 4 };

/* Values ascending, each standing for all floats up to its `most`; multiples of 1/64. */
typedef struct Case {
    const char *name;
    uint32_t count;
    double value[MOST_VALUES], most[MOST_VALUES];
} Case;

static const Case cases[] = {
    {"apart by one", 3, {0, 1, 2}, {0, 1, 2}},
    {"the last two closest", 3, {-4, 0, 1}, {-4, 0, 1}},
    {"the first two closest", 4, {-2, -1.75, 0, 8}, {-2, -1.75, 0, 8}},
    {"the first joins", 2, {1, 2}, {1.25, 2}},
    {"the last joins", 2, {1, 2}, {1, 2.25}},
    {"one in the middle joins", 3, {0, 1, 3}, {0, 1.25, 3}},
    {"joined ones decide", 3, {0, 1, 2.125}, {0, 1.25, 2.125}},
    {"negative ones join", 3, {-3, -2, -1}, {-2.75, -2, -0.875}},
    {"joined up to the middle", 2, {0, 1}, {0.5, 1}},
};

/* Which value is read: the one at the nearest place. */
static uint32_t nearest(const Case *c, double x) {
    uint32_t best = 0;
    for (uint32_t v = 1; v < c->count; v++)
        if (fabs(x - c->value[v]) < fabs(x - c->value[best])) best = v;
    return best;
}

/* Is each value read as itself by everything that is less than `error` away? */
static bool reads_right(const Case *c, double error) {
    for (uint32_t v = 0; v < c->count; v++)
        for (double x = c->value[v]; x <= c->most[v]; x += 1.0 / 64)
            if (nearest(c, x - error + 1.0 / 128) != v || nearest(c, x + error - 1.0 / 128) != v)
                return false;
    return true;
}

static double by_trying(const Case *c) {
    double error = 0;
    while (reads_right(c, error + 1.0 / 64)) error += 1.0 / 64;
    return error;
}

static Certificate certificate_of(CircuitOutput *output, Bound *row) {
    Certificate c = {.holds = true};
    Circuit circuit = {.output_count = 1};
    Checker k = {.circuit = &circuit, .c = &c, .row = row, .low = NAN, .high = NAN};
    read_output(&k, output);
    return c;
}

static void test_margins_of_numbers(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Case *c = &cases[k];
        Atom values[MOST_VALUES];
        double absolute = 0, relative = 0, error = 1.0 / 64, allowed = by_trying(c);
        for (uint32_t v = 0; v < c->count; v++) {
            values[v] = atom_float(c->value[v]);
            double joined = c->most[v] - c->value[v];
            if (joined > absolute) absolute = joined;
            double smaller = fabs(c->value[v]) < fabs(c->most[v]) ? c->value[v] : c->most[v];
            if (joined > relative * fabs(smaller)) relative = joined / fabs(smaller);
        }
        Form form = {.slack = error / 2};
        CircuitOutput output = {.name = c->name,
                                .numeric = true,
                                .values = values,
                                .place = c->value,
                                .most = c->most,
                                .value_count = c->count,
                                .forms = &form,
                                .form_count = 1,
                                .start = 1};
        Bound row[2] = {{.error = 99}, {.error = error / 2}};
        Certificate found = certificate_of(&output, row);
        if (found.error != error || found.tightest != error / allowed)
            fail_msg("%s: error %g, tightest %g, not %g, %g", c->name, found.error, found.tightest,
                     error, error / allowed);
        assert_true(found.joined_absolute == absolute);
        assert_true(found.joined_relative == relative);
        assert_true(found.low < found.high && nearest(c, found.low) + 1 == nearest(c, found.high));
    }
}

/* Of whole numbers from one end to the other, however many, the same; of one alone nothing is
 * decided. */
static void test_margins_of_whole_numbers(void **state) {
    (void)state;
    static const double ends[][2] = {{0, 2}, {-0x1p50, 0x1p50}, {-4, -3}, {7, 7}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const Atom values[] = {atom_int((int64_t)ends[k][0]), atom_int((int64_t)ends[k][1])};
        double error = 1.0 / 64, allowed = ends[k][0] < ends[k][1] ? 0.5 : INFINITY;
        Form form = {.slack = error / 2};
        CircuitOutput output = {.name = "whole",
                                .numeric = true,
                                .whole = true,
                                .values = values,
                                .place = ends[k],
                                .most = ends[k],
                                .value_count = 2,
                                .forms = &form,
                                .form_count = 1};
        Bound row = {.error = error / 2};
        Certificate found = certificate_of(&output, &row);
        assert_true(found.error == error && found.tightest == error / allowed);
        row.error = 0.5;
        assert_true((certificate_of(&output, &row).tightest >= 1) == isfinite(allowed));
    }
}

/* Value k has the score 2ck - k^2 where c is the right one, so that b is behind a by (a - b)^2,
 * and both scores may stray. */
static void test_margins_of_choices(void **state) {
    (void)state;
    static const struct {
        double error[3], tightest, greatest;
    } choices[] = {
        {{0.125, 0.125, 0.125}, 0.25, 0.25},
        {{0.25, 0, 0.25}, 0.25, 0.5}, /* 0 and 2 are apart by 4: a pair with 1 decides */
        {{0.5, 0, 0}, 0.5, 0.5},
        {{0, 0.25, 0.5}, 0.75, 0.75},
        {{2, 0, 2}, 2, 4},
    };
    const Atom values[3] = {atom_bool(false), atom_int(7), atom_float(2.5)};
    const double most[3] = {0, 7, 2.625};
    for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
        Form forms[3] = {{0}, {0}, {0}};
        Bound row[3];
        for (uint32_t v = 0; v < 3; v++) row[v] = (Bound){.error = choices[k].error[v]};
        CircuitOutput output = {.name = "choice",
                                .values = values,
                                .most = most,
                                .value_count = 3,
                                .forms = forms,
                                .form_count = 3};
        Certificate found = certificate_of(&output, row);
        assert_true(found.error == choices[k].greatest);
        assert_true(found.tightest == choices[k].tightest);
        assert_true(found.joined_absolute == 0.125 && found.joined_relative == 0.125 / 2.5);
    }
}

/* Weights are written as doubles: a rounding of every term and of the constant, and at most two
 * more; one part as it is costs nothing. */
static void test_what_writing_loses(void **state) {
    (void)state;
    CircuitPart parts[3] = {{.least = -3, .most = 2}, {.least = 1, .most = 4}, {.most = 0.5}};
    FormTerm terms[3] = {{0, -1.5, 0}, {1, 2, 0}, {2, 1, 0}};
    for (uint32_t count = 0; count <= 3; count++)
        for (double constant = 0; constant <= 1; constant++) {
            Form form = {.terms = terms, .count = count, .constant = constant};
            Circuit circuit = {.parts = parts};
            Checker k = {.circuit = &circuit};
            double size = constant, found = emit_slack(&k, &form);
            if (count > 0) size += 1.5 * 3;
            if (count > 1) size += 2 * 4;
            if (count > 2) size += 0.5;
            assert_true(found >= (count + 1) * size * DBL_EPSILON / 2);
            assert_true(found <= (count + 3) * size * DBL_EPSILON);
        }
    Form plain = {.terms = terms + 2, .count = 1};
    Circuit circuit = {.parts = parts};
    assert_true(emit_slack(&(Checker){.circuit = &circuit}, &plain) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_margins_of_numbers), cmocka_unit_test(test_margins_of_whole_numbers),
        cmocka_unit_test(test_margins_of_choices), cmocka_unit_test(test_what_writing_loses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
