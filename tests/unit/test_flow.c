/* Flow pictures of all bundled programs and of inputs of all lengths: they are XML, no text is
 * crossed by a wire or lies on another, nothing reaches out, nothing comes from outside. */
#include "show/flow.h"
#include "tests/unit/api_fixture.h"
#include "tests/unit/picture_checker.h"

#include <glob.h>

/* --- pictures --------------------------------------------------------------------------- */

static char *draw(RaspProgram *program, const RaspSop *sop, const RaspInput *input) {
    RaspError error;
    Budget budget;
    Scene scene;
    char *text = NULL;
    size_t size;
    budget_init(&budget, 0);
    Arena *arena = arena_new(&budget);
    RaspGraph *graph = rasp_graph_new(program, sop, 1, input, &error);
    if (!graph) fail_msg("%s", error.text);
    if (!scene_new(graph, &sop->name, 1, arena, &scene, &error)) fail_msg("%s", error.text);
    FILE *out = open_memstream(&text, &size);
    flow_svg(out, &scene, "t");
    fclose(out);
    rasp_graph_free(graph);
    arena_free(arena);
    assert_int_equal(budget.used, 0);
    return text;
}

static char *draw_text(const char *program_text, const RaspInput *input) {
    RaspProgram *program = program_of(program_text);
    RaspSop sop = sop_of(program, NULL);
    char *text = draw(program, &sop, input);
    rasp_program_free(program);
    return text;
}

static const char *const wire_class[] = {"wire ", NULL};

static Picture read_flow(const char *name, const char *text) {
    Picture p = read_picture(name, text, wire_class, false);
    assert_int_equal(p.answers, 1);
    return p;
}

/* --- tests ------------------------------------------------------------------------------ */

/* The input of the file's first example; its text is cut out of the line. */
static bool first_example(const char *path, char *line, size_t size, RaspInput *input) {
    static const char mark[] = "# example: ";
    FILE *in = fopen(path, "r");
    bool found = false;
    while (!found && fgets(line, (int)size, in)) found = strncmp(line, mark, strlen(mark)) == 0;
    fclose(in);
    char *arrow = found ? strstr(line, " -> ") : NULL;
    if (!arrow) return false;
    *arrow = '\0';
    char *text = line + strlen(mark);
    if (*text == '"') arrow[-1] = '\0', text++;
    *input = input_of(text);
    return true;
}

static void bundled(void **state) {
    (void)state;
    glob_t files;
    char line[4096];
    assert_int_equal(glob("programs/*/*.rasp", 0, NULL, &files), 0);
    assert_true(files.gl_pathc > 90);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        RaspError error;
        RaspInput input;
        const char *path = files.gl_pathv[k];
        RaspProgram *program = rasp_program_load(&(RaspSource){.path = path}, NULL, &error);
        if (!program) fail_msg("%s", error.text);
        RaspSop sop = sop_of(program, NULL);
        if (!first_example(path, line, sizeof line, &input)) fail_msg("%s: no example", path);
        char *text = draw(program, &sop, &input);
        Picture p = read_flow(path, text);
        free_picture(&p);
        free(text);
        rasp_program_free(program);
    }
    globfree(&files);
}

static void lengths(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 2, 33, 64, 65, 128, 129, 1000};
    static const char *const notes[] = {NULL,
                                        NULL,
                                        NULL,
                                        NULL,
                                        "65 positions in 33 bins of 2: a row has the",
                                        "128 positions in 64 bins of 2: a row has th",
                                        "129 positions in 43 bins of 3: a row has th",
                                        "1000 positions in 63 bins of 16: a row has "};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        char tokens[1001];
        for (size_t i = 0; i < lengths[k]; i++) tokens[i] = (char)('a' + i * i % 26);
        RaspInput input = {.text = tokens, .length = lengths[k]};
        char *text = draw_text("s = sort(tokens, tokens);", &input);
        Picture p = read_flow("lengths", text);
        bool found = notes[k] == NULL;
        for (size_t t = 0; t < p.text_count; t++) {
            bool binned = strstr(p.texts[t].text, "positions in") != NULL;
            found |= binned && notes[k] && strncmp(p.texts[t].text, notes[k], 43) == 0;
            assert_true(!binned || notes[k]);
        }
        if (!found) fail_msg("length %zu: no note", lengths[k]);
        assert_true(strlen(text) < 400000);
        free_picture(&p);
        free(text);
    }
}

static void escapes(void **state) {
    (void)state;
    RaspAtom tokens[] = {rasp_string("a<b&\"'"), rasp_string("\x1b[31m\n"), rasp_string("日本"),
                         rasp_string(""),        rasp_string(" "),          rasp_string("]]>")};
    tokens[3] = (RaspAtom){RASP_STRING, {.s = {"x\0y", 3}}};
    RaspInput input = {.tokens = tokens, .count = 6};
    char *text = draw_text("y = tokens_asis if tokens_asis == \"<&>\" else tokens;", &input);
    Picture p = read_flow("escapes", text);
    assert_true(has_text(&p, "a<b&\"'"));
    assert_true(has_text(&p, "\\x1b[31m\\n"));
    assert_true(has_text(&p, "x␀y"));
    assert_true(has_text(&p, "␣"));
    free_picture(&p);
    free(text);
}

/* Wires: one arrow for each key, query, value, result and operand. */
static void wires(void **state) {
    (void)state;
    static const struct {
        const char *program;
        size_t arrows;
    } cases[] = {
        {"y = indices;", 0},
        {"y = indices + indices * 2;", 1},
        {"y = selector_width(select(tokens, tokens, ==));", 3},
        {"y = aggregate(select(indices, indices - 1, ==), tokens, \"-\");", 5},
        {"y = count(tokens, \"a\") + length;", 1 + 1 + 1 + 1 + 2}, /* constants need none */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        RaspInput input = input_of("abca");
        char *text = draw_text(cases[k].program, &input);
        Picture p = read_flow(cases[k].program, text);
        if (p.arrows != cases[k].arrows)
            fail_msg("%s: %zu arrows, expected %zu", cases[k].program, p.arrows, cases[k].arrows);
        free_picture(&p);
        free(text);
    }
}

static void cells(void **state) {
    (void)state;
    RaspError error;
    Budget budget;
    Scene scene;
    enum { N = 130 };
    char tokens[N];
    memset(tokens, 'a', N);
    budget_init(&budget, 0);
    Arena *arena = arena_new(&budget);
    RaspProgram *program = program_of("y = selector_width(select(indices, indices, <));");
    RaspSop sop = sop_of(program, NULL);
    RaspInput input = {.text = tokens, .length = N};
    RaspGraph *graph = rasp_graph_new(program, &sop, 1, &input, &error);
    assert_true(scene_new(graph, NULL, 1, arena, &scene, &error));
    assert_int_equal(scene.bin, 3);
    assert_int_equal(scene.shown, 44); /* the last bin holds one */
    const ScenePanel *panel = &scene.panels[0];
    assert_true(scene_cell(&scene, panel, 5, 4) == 1);
    assert_true(scene_cell(&scene, panel, 4, 5) == 0);
    assert_true(fabs(scene_cell(&scene, panel, 4, 4) - 3.0 / 9) < 1e-12);
    assert_true(scene_cell(&scene, panel, 43, 43) == 0);
    assert_true(scene_cell(&scene, panel, 43, 42) == 1);
    assert_string_equal(scene_value(&scene, scene.rows[0].values, 43), "129");
    rasp_graph_free(graph);
    rasp_program_free(program);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundled), cmocka_unit_test(lengths), cmocka_unit_test(escapes),
        cmocka_unit_test(wires),   cmocka_unit_test(cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
