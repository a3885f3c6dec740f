/* Activation patching: each head of a compiled program gives on one input what it gives on another,
 * and the outputs show what it is for.
 *
 *     cc patch.c -o patch $(pkg-config --cflags --libs rasp)
 *     ./patch
 */
#include <rasp_circuit.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "count = selector_width(select(tokens, tokens, ==));"
    "y = aggregate(select(indices, indices - 1, ==), count, 0) + 10 * count;";

enum { LENGTH = 4, MOST = 4096 };

/* The head that is changed, and what it adds to the residual stream: [n+1, width]. */
typedef struct Swap {
    size_t layer, head;
    double kept[MOST];
} Swap;

static void keep(void *context, size_t layer, size_t head, size_t n, const double *scores,
                 const double *weights, size_t width, const double *result) {
    Swap *swap = context;
    (void)scores, (void)weights;
    if (layer == swap->layer && head == swap->head && (n + 1) * width <= MOST)
        memcpy(swap->kept, result, (n + 1) * width * sizeof *result);
}

/* Row 0, the sink, is the same for all inputs and stays. */
static void put(void *context, size_t layer, size_t head, size_t n, size_t width, double *result) {
    const Swap *swap = context;
    if (layer == swap->layer && head == swap->head && (n + 1) * width <= MOST)
        memcpy(result + width, swap->kept + width, n * width * sizeof *result);
}

static void print_values(const char *label, RaspForward *forward) {
    char value[64];
    printf("%-44s", label);
    for (size_t i = 0; forward && i < LENGTH; i++) {
        rasp_atom_text(rasp_forward_reading(forward, 0, i).value, RASP_PLAIN, value, sizeof value);
        printf(" %s", value);
    }
    printf("\n");
    rasp_forward_free(forward);
}

static void swap_heads(RaspEngine *engine, const RaspCircuit *circuit, RaspError *error) {
    RaspInput input = {.text = "abcd", .length = LENGTH},
              other = {.text = "aaab", .length = LENGTH};
    static Swap swap;
    print_values("abcd", rasp_forward(engine, &input, error));
    print_values("aaab", rasp_forward(engine, &other, error));
    for (size_t h = 0; h < circuit->head_count; h++) {
        const RaspCircuitHead *head = &circuit->heads[h];
        RaspTap tap = {.context = &swap, .head = keep};
        RaspPatch patch = {.context = &swap, .head = put};
        swap.layer = head->layer, swap.head = head->head;
        rasp_forward_free(rasp_trace(engine, &other, &tap, error));
        print_values(circuit->sops[head->selector].text,
                     rasp_patch(engine, &input, &patch, NULL, error));
    }
}

int main(void) {
    RaspError error = {0};
    RaspSop sop;
    RaspSource source = {.text = text, .length = sizeof text - 1};
    RaspTarget target = {.alphabet = "abcd", .max_length = LENGTH};

    RaspProgram *program = rasp_program_load(&source, NULL, &error);
    bool found = program && rasp_program_sop(program, "y", &sop, &error);
    RaspModel *model = found ? rasp_compile(program, &sop, 1, &target, &error) : NULL;
    RaspEngine *engine = model ? rasp_engine_new(model, NULL, NULL, &error) : NULL;
    const RaspCircuit *circuit = engine ? rasp_model_circuit(model, &error) : NULL;
    if (circuit) swap_heads(engine, circuit, &error);
    if (error.status) fprintf(stderr, "%s\n", error.text);

    rasp_engine_free(engine);
    rasp_model_free(model);
    rasp_program_free(program);
    return error.status != RASP_OK;
}
