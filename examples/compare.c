/* A program, what the interpreter says of an input, and what the transformer says that the
 * program compiles to.
 *
 *     cc compare.c -o compare $(pkg-config --cflags --libs rasp)
 *     ./compare abracadabra
 */
#include <rasp.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "histogram = selector_width(select(tokens, tokens, ==));";

static void print(const char *who, const RaspSequence *values) {
    char cell[64];
    printf("%-12s", who);
    for (size_t i = 0; i < rasp_sequence_length(values); i++) {
        rasp_atom_text(rasp_sequence_at(values, i), RASP_PLAIN, cell, sizeof cell);
        printf(" %s", cell);
    }
    putchar('\n');
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "abracadabra";
    RaspError error = {0};
    RaspSop sop;
    RaspSource source = {.text = text, .length = sizeof text - 1};
    RaspInput input = {.text = word, .length = strlen(word)};
    RaspTarget target = {.alphabet = "abcdr", .max_length = 12};

    RaspProgram *program = rasp_program_load(&source, NULL, &error);
    bool found = program && rasp_program_sop(program, NULL, &sop, &error);
    RaspRun *run = found ? rasp_run_new(program, &input, &sop, 1, NULL, &error) : NULL;
    const RaspSequence *expected = run ? rasp_run_sequence(run, 0, &error) : NULL;
    RaspModel *model = expected ? rasp_compile(program, &sop, 1, &target, &error) : NULL;
    RaspEngine *engine = model ? rasp_engine_new(model, NULL, NULL, &error) : NULL;
    RaspForward *forward = engine ? rasp_forward(engine, &input, &error) : NULL;

    if (expected) print("interpreter", expected);
    if (forward) print("transformer", rasp_forward_sequence(forward, 0));
    if (error.status) fprintf(stderr, "%s\n", error.text);

    rasp_forward_free(forward); /* in any order; NULL is fine */
    rasp_engine_free(engine);
    rasp_model_free(model);
    rasp_run_free(run);
    rasp_program_free(program);
    return error.status != RASP_OK;
}
