/* What the heads of a compiled program attend to: one line a query, weights in percent; the
 * first row and column are the sink.
 *
 *     cc attention.c -o attention $(pkg-config --cflags --libs rasp)
 *     ./attention
 */
#include <rasp.h>
#include <stdio.h>

static const char text[] = "before = aggregate(select(indices, indices - 1, ==), tokens, \"-\");";

static void print_head(void *context, size_t layer, size_t head, size_t n, const double *scores,
                       const double *weights, size_t width, const double *result) {
    (void)context, (void)scores, (void)width, (void)result;
    printf("layer %zu, head %zu\n", layer, head);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= n; j++)
            printf("%4.0f%s", 100 * weights[i * (n + 1) + j], j < n ? "" : "\n");
}

int main(void) {
    RaspError error = {0};
    RaspSop sop;
    RaspSource source = {.text = text, .length = sizeof text - 1};
    RaspInput input = {.text = "abc", .length = 3};
    RaspTarget target = {.alphabet = "abc", .max_length = 4};
    RaspTap tap = {.head = print_head};

    RaspProgram *program = rasp_program_load(&source, NULL, &error);
    bool found = program && rasp_program_sop(program, "before", &sop, &error);
    RaspModel *model = found ? rasp_compile(program, &sop, 1, &target, &error) : NULL;
    RaspEngine *engine = model ? rasp_engine_new(model, NULL, NULL, &error) : NULL;
    RaspForward *forward = engine ? rasp_trace(engine, &input, &tap, &error) : NULL;
    if (error.status) fprintf(stderr, "%s\n", error.text);

    rasp_forward_free(forward);
    rasp_engine_free(engine);
    rasp_model_free(model);
    rasp_program_free(program);
    return error.status != RASP_OK;
}
