/* The circuit as a value: whoever reads it must find every hidden unit, head and dimension of the
 * weights accounted for, once. */
#include "tests/unit/compile_fixture.h"

#include "compile/complete.h"
#include "compile/lower/scan.h"

#include <math.h>
#include <stdlib.h>

static const struct {
    const char *name, *alphabet, *text;
    uint32_t length;
} programs[] = {
    {"identity", "ab", "y = tokens;", 3},
    {"histogram", "abc", "y = selector_width(select(tokens, tokens, ==));", 8},
    {"sort", "abcdefgh", "y = sort(tokens, tokens);", 12},
    {"nested", "abc",
     "n = selector_width(select(tokens, tokens, ==));"
     "m = selector_width(select(n, n, ==) and select(indices, indices, <));"
     "y = [5, 1, 4, 2, 0, 3][m] if n > 1 else m * n;",
     5},
    {"defaults", "ab",
     "y = aggregate(select(tokens, \"a\", ==) and select(indices, indices, <), indices, 0.5);", 6},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

static void open_program(CompileFixture *f, size_t k) {
    fixture_open(f, programs[k].text, programs[k].alphabet, programs[k].length);
    if (!fixture_compile(f)) fail_msg("%s: %s", programs[k].name, f->error.message);
}

/* --- hidden units --------------------------------------------------------------------------- */

/* How many pieces claim each unit of one sublayer. */
static void count_owners(const Circuit *c, uint32_t layer, uint32_t sublayer, unsigned *owners,
                         size_t units) {
    for (uint32_t t = 0; t < c->table_count; t++) {
        const CircuitTable *table = &c->tables[t];
        if (table->layer != layer || table->sublayer != sublayer) continue;
        assert_true(table->first_unit + table->shape.unit_count <= units);
        for (uint32_t u = 0; u < table->shape.unit_count; u++) owners[table->first_unit + u]++;
    }
    for (uint32_t k = 0; k < c->clear_count; k++) {
        const CircuitClear *clear = &c->clears[k];
        if (clear->layer != layer || clear->sublayer != sublayer) continue;
        assert_true(clear->unit < units);
        owners[clear->unit]++;
    }
}

static size_t check_units(CompileFixture *f) {
    const Circuit *c = f->compiled.circuit;
    const Model *model = f->compiled.model;
    size_t units = 0;
    assert_int_equal(c->layer_count, model->layer_count);
    for (uint32_t l = 0; l < c->layer_count; l++) {
        assert_int_equal(c->layers[l].sublayer_count, model->layers[l]->mlp_count);
        assert_int_equal(c->layers[l].head_count, model->layers[l]->head_count);
        for (uint32_t m = 0; m < c->layers[l].sublayer_count; m++) {
            size_t count = model->layers[l]->mlps[m]->in.cols;
            unsigned *owners = ARENA_ARRAY(f->arena, count, unsigned);
            count_owners(c, l, m, owners, count);
            assert_int_equal(c->layers[l].units[m] ? c->layers[l].units[m] : 1, count);
            for (size_t u = 0; u < c->layers[l].units[m]; u++) assert_int_equal(owners[u], 1);
            units += count;
        }
    }
    return units;
}

static void test_every_unit_has_one_owner(void **state) {
    (void)state;
    size_t units = 0, clears = 0;
    for (size_t k = 0; k < PROGRAM_COUNT; k++) {
        CompileFixture f;
        open_program(&f, k);
        units += check_units(&f);
        clears += f.compiled.circuit->clear_count;
        fixture_close(&f);
    }
    assert_true(units > 40);
    assert_true(clears > 0);
}

/* --- heads and parts ------------------------------------------------------------------------ */

static void check_parts(const Circuit *c) {
    for (uint32_t p = 0; p < c->part_count; p++) {
        const CircuitPart *part = &c->parts[p];
        if (part->origin == FROM_HEAD)
            assert_int_equal(c->heads[part->owner].components[part->column].part, p);
        if (part->origin == FROM_TABLE)
            assert_int_equal(c->tables[part->owner].outputs[part->column].part, p);
        for (uint32_t w = 0; w < part->write_count; w++)
            assert_true(part->writes[w].dim < c->width);
        if (part->dim == DIM_NONE) continue;
        assert_int_equal(part->writes[0].dim, part->dim);
        assert_true(stage_before(part->born, part->last) || stage_same(part->born, part->last));
        assert_true(part->number_count >= 1 && part->number_count <= part->level_count);
        for (uint32_t k = 1; k < part->number_count; k++)
            assert_true(part->numbers[k - 1] < part->numbers[k]);
    }
}

static void test_pieces_name_one_another(void **state) {
    (void)state;
    for (size_t k = 0; k < PROGRAM_COUNT; k++) {
        CompileFixture f;
        open_program(&f, k);
        const Circuit *c = f.compiled.circuit;
        check_parts(c);
        for (uint32_t h = 0; h < c->head_count; h++) {
            const CircuitHead *head = &c->heads[h];
            const ModelHead *made = f.compiled.model->layers[head->layer]->heads[head->index];
            assert_int_equal(made->value.cols, head->component_count);
            assert_int_equal(made->sink, head->kind != HEAD_PLAIN);
        }
        fixture_close(&f);
    }
}

/* --- tables --------------------------------------------------------------------------------- */

/* What covering expects of a scan is what the scan takes. */
static void test_units_as_estimated(void **state) {
    (void)state;
    CompileFixture f;
    open_program(&f, 0);
    srand(7);
    for (int round = 0; round < 2000; round++) {
        uint32_t count = 1 + (uint32_t)(rand() % 12);
        ScanPoint *point = ARENA_ARRAY(f.arena, count, ScanPoint);
        double *x = ARENA_ARRAY(f.arena, count, double), *value;
        value = ARENA_ARRAY(f.arena, count, double);
        for (uint32_t k = 0; k < count; k++) {
            x[k] = k ? x[k - 1] + 0.25 * (1 + rand() % 4) : rand() % 5 - 2;
            value[k] = rand() % 3;
            point[k] = (ScanPoint){x[k], value[k]};
        }
        TableOutput output = {.x = x, .value = value, .points = count};
        CircuitTable table = {.outputs = &output, .output_count = 1};
        table.shape = scan_shape(&output, 1, false, f.arena);
        assert_int_equal(scan_units(point, count, 0), table.shape.unit_count);
        for (uint32_t k = 0; k < count; k++)
            assert_true(fabs(table_value(&table, 0, x[k]) - value[k]) < 1e-12);
    }
    fixture_close(&f);
}

static void test_not_a_function(void **state) {
    (void)state;
    ScanPoint same[] = {{1, 0}, {2, 1}, {1, 1}}, near[] = {{1, 0}, {1 + 1e-15, 1}, {2, 0}};
    ScanPoint tiny[] = {{1e-13, 1}, {2e-13, 2}, {3e-13, 3}};
    assert_int_equal(scan_units(same, 3, 0), SCAN_AMBIGUOUS);
    assert_int_equal(scan_units(near, 3, 0), SCAN_ROUNDING);
    assert_int_equal(scan_units(tiny, 3, 0), 1); /* no absolute floor */
    assert_int_equal(scan_units(tiny, 3, 1e-14), SCAN_ROUNDING);
}

/* --- the file ------------------------------------------------------------------------------- */

static void assert_json(const json_t *value, const char *text) {
    char *found = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(found ? found : "nothing", text);
    free(found);
}

static void test_places_in_the_file(void **state) {
    (void)state;
    CompileFixture f;
    fixture_open(&f, "s = select(tokens, tokens, ==);\ny = selector_width(s) * 5\n    % 3;\n",
                 "abc", 4);
    assert_true(fixture_compile(&f));
    Record record = {.program = {"test.rasp", "", 0}, .options = f.options};
    assert_true(
        complete_model(&f.compiled, &record, session_sources(f.session), &(ProgramNames){0}));
    const ModelLayer *layer = f.compiled.model->layers[0];
    assert_json(json_object_get(layer->heads[0]->extra, "span"), "[\"test.rasp\",1,5,1,31]");
    const json_t *table = json_array_get(json_object_get(layer->mlps[0]->extra, "tables"), 0);
    assert_json(json_object_get(table, "first_unit"), "0");
    assert_true(json_is_array(json_object_get(table, "span")));
    assert_json(json_object_get(table, "spans"), "[[\"test.rasp\",2,5,3,8]]");
    size_t index, placed = 0;
    json_t *group;
    json_array_foreach(json_object_get(f.compiled.model->extra, "groups"), index, group) {
        placed += json_object_get(group, "span") != NULL;
    }
    assert_true(placed > 0);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_unit_has_one_owner),
        cmocka_unit_test(test_pieces_name_one_another),
        cmocka_unit_test(test_units_as_estimated),
        cmocka_unit_test(test_not_a_function),
        cmocka_unit_test(test_places_in_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
