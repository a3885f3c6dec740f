/* `rasp verify WEIGHTS`: does the file hold what it says?
 *
 * Hard equals program: the embedded source is evaluated again and compiled with the stored
 * options, and the file must have that model's structure.  Soft equals hard: the certificate
 * is computed from the file's own weights.  Both together: the file's outputs are the
 * program's on every input of its domain. */
#include "cli/command.h"

#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "cli/target.h"
#include "cli/weights.h"
#include "compile/verify.h"

#include <string.h>

typedef struct VerifyArguments {
    Common common;
    /* Freed at the end, whatever a stop has jumped over. */
    Model *model;
    Compiled compiled;
} VerifyArguments;

static const struct argp_option options[] = {
    OPTION_JSON("the findings as one JSON object", 1),
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Verify that a weights file computes the program that it embeds, on every input of its "
    "domain: compares it with what the program compiles to, and computes the bound on its error "
    "from its own weights.\v"
    "The exit status is 1 if that cannot be shown.\n\n"
    "Example:\n"
    "  rasp verify w.bin";

/* --- findings ------------------------------------------------------------------------------ */

typedef struct Findings {
    const char *path;
    Arena *arena;
    VerifyReport report;
} Findings;

static void print_structure(const Findings *f) {
    const Difference *d = &f->report.difference;
    if (!d->same_shape) {
        printf("  program      differs: %s\n", d->shape);
        puts("               (what the embedded program compiles to with the stored options)");
        return;
    }
    puts("  program      the structure is that of the embedded program, compiled again");
    if (d->changed == 0)
        printf("  weights      all %s as compiled\n", grouped(f->arena, d->weights));
    else
        printf("  weights      %s of %s differ from the compiled ones, by at most %.3g\n"
               "               (%s)\n",
               grouped(f->arena, d->changed), grouped(f->arena, d->weights), d->largest, d->where);
}

static void print_certificate(const Findings *f) {
    const Certificate *c = &f->report.certificate;
    if (!f->report.difference.same_shape) return;
    if (!c->holds) {
        printf("  certificate  does not hold: %s\n", c->broken);
        return;
    }
    printf("  certificate  holds: error at most %.3g\n", c->error);
    if (f->report.claims_too_little)
        printf("               but the file claims %.3g, which is less\n", f->report.claimed);
    if (*c->where)
        printf("  tightest     layer %u, %s: %.2g of what is allowed\n", c->layer, c->where,
               c->tightest);
}

static void json_weights(Json *j, const Findings *f) {
    const Difference *d = &f->report.difference;
    const Certificate *c = &f->report.certificate;
    json_count(j, "weights", d->weights);
    json_count(j, "changed", d->changed);
    json_number(j, "largest_change", "%g", d->largest);
    json_flag(j, "holds", c->holds);
    json_number(j, "error", "%g", c->holds ? c->error : -1);
    json_number(j, "claimed_error", "%g", f->report.claimed);
    json_number(j, "tightest", "%g", c->holds ? c->tightest : -1);
    json_count(j, "layer", c->layer);
    json_text(j, "where", c->holds ? c->where : c->broken);
}

static void print_json(const Findings *f) {
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "file", f->path);
    json_flag(&j, "verified", f->report.holds);
    json_flag(&j, "same_structure", f->report.difference.same_shape);
    if (f->report.difference.same_shape)
        json_weights(&j, f);
    else
        json_text(&j, "difference", f->report.difference.shape);
    json_end(&j);
}

/* --- verifying ----------------------------------------------------------------------------- */

static int verify(Program *p, const Record *record, void *context) {
    VerifyArguments *a = context;
    Target target;
    double seconds;
    int status = target_recall(p, record, &target);
    if (status == EXIT_FINE) status = target_compile(p, &target, p->arena, &a->compiled, &seconds);
    if (status != EXIT_FINE) return status;
    Findings f = {.path = a->common.argument, .arena = p->arena};
    verify_weights(&a->compiled, record, a->model, p->arena, &f.report);
    if (a->common.json) {
        print_json(&f);
    } else {
        printf("%s: %s\n", a->common.argument, f.report.holds ? "verified" : "NOT verified");
        print_structure(&f);
        print_certificate(&f);
    }
    return f.report.holds ? EXIT_FINE : EXIT_DISAGREE;
}

int cmd_verify(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = option_parse, .args_doc = "WEIGHTS", .doc = help};
    static VerifyArguments arguments = {.common = {.kind = &weights_argument}};
    VerifyArguments *a = &arguments;
    argp_parse(&argp, argc, argv, 0, NULL, &a->common);
    const char *path = a->common.argument;
    if (!weights_recognised(path)) {
        report_error("'%s' is no weights file ('rasp compile PROGRAM -o FILE' makes one)", path);
        return EXIT_WRONG_PROGRAM;
    }
    a->model = weights_load(path);
    if (!a->model) return EXIT_WRONG_PROGRAM;
    int status = weights_with_program(a->model, path, a->common.memory, verify, a);
    compiled_clear(&a->compiled);
    model_free(a->compiled.model);
    model_free(a->model);
    return status;
}
