/* `rasp verify WEIGHTS`: does the file hold what it says?
 *
 * Hard equals program: the embedded source is evaluated again and compiled with the stored
 * options, and the file must have that model's structure.  Soft equals hard: the certificate
 * is computed from the file's own weights.  Both together: the file's outputs are the
 * program's on every input of its domain.  And what the file says of itself must be what the
 * compilation says. */
#include "cli/command.h"

#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/summary.h"
#include "cli/weights.h"

#include <math.h>

static const struct argp_option options[] = {
    OPTION_JSON("the findings as one JSON object", 1),
    OPTION_TIME,
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

static void print_structure(const RaspVerifyReport *r) {
    if (!r->same_structure) {
        printf("  program      differs: %s\n", safe_text(r->difference));
        puts("               (what the embedded program compiles to with the stored options)");
        return;
    }
    puts("  program      the structure is that of the embedded program, compiled again");
    if (r->changed == 0)
        printf("  weights      all %s as compiled\n", grouped(r->weights));
    else
        printf("  weights      %s of %s differ from the compiled ones, by at most %.3g\n"
               "               (%s)\n",
               grouped(r->changed), grouped(r->weights), r->largest, r->where);
}

static void print_certificate(const RaspVerifyReport *r) {
    const RaspCertificate *c = &r->certificate;
    if (!r->same_structure) return;
    if (!c->holds) {
        printf("  certificate  does not hold: %s\n", safe_text(c->broken));
        return;
    }
    printf("  certificate  holds: error at most %.3g in the residual stream\n", c->error);
    if (r->claims_too_much)
        printf("               but the file claims %.3g, which is less\n", r->claimed);
    if (*c->where)
        printf("  tightest     layer %u, %s: its error is at most %.2g of its margin\n",
               c->layer + 1, safe_text(c->where), c->tightest);
    else
        puts("  tightest     no decision is made");
    if (c->joined_absolute > 0)
        printf("  joined       floats that differ by up to %.3g (%.3g of the smaller) are one "
               "output\n",
               c->joined_absolute, c->joined_relative);
}

static void print_list(const char *label, const char *lead, const char *const *texts,
                       size_t count) {
    for (size_t k = 0; k < count && k < RASP_VERIFY_SHOWN; k++)
        printf("  %-12s %s%s\n", k ? "" : label, k ? "" : lead, safe_text(texts[k]));
    if (count > RASP_VERIFY_SHOWN)
        printf("               ... and %s more\n", grouped(count - RASP_VERIFY_SHOWN));
}

static void print_document(const RaspVerifyReport *r) {
    if (!r->same_structure) return;
    if (r->false_claims == 0 && r->certificate.holds)
        puts("  description  as compiled: names, groups, tables, certificate");
    print_list("description", "differs: ", r->claims, r->false_claims);
    print_list("unknown", "not verified, rasp writes no such key: ", r->unknown, r->unknown_keys);
}

static void json_list(Json *j, const char *key, const char *const *texts, size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count && k < RASP_VERIFY_SHOWN; k++) json_text(j, NULL, texts[k]);
    json_end(j);
}

static void json_weights(Json *j, const RaspVerifyReport *r) {
    const RaspCertificate *c = &r->certificate;
    json_count(j, "weights", r->weights);
    json_count(j, "changed", r->changed);
    json_number(j, "largest_change", "%g", r->largest);
    json_flag(j, "holds", c->holds);
    json_number(j, "error", "%g", c->holds ? c->error : NAN);
    json_number(j, "claimed_error", "%g", r->claimed < 0 ? NAN : r->claimed);
    json_number(j, "tightest", "%g", c->holds ? c->tightest : NAN);
    json_count(j, "layer", c->layer);
    json_text(j, "where", c->holds ? c->where : c->broken);
    json_count(j, "false_claims", r->false_claims);
    json_list(j, "claims", r->claims, r->false_claims);
    json_count(j, "unknown_keys", r->unknown_keys);
    json_list(j, "unknown", r->unknown, r->unknown_keys);
}

static void print_json(const char *path, const RaspVerifyReport *r) {
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "file", path);
    json_flag(&j, "verified", r->holds);
    json_flag(&j, "same_structure", r->same_structure);
    if (r->same_structure)
        json_weights(&j, r);
    else
        json_text(&j, "difference", r->difference);
    json_end(&j);
}

static void print_text_report(const char *path, const RaspVerifyReport *r) {
    printf("%s: %s\n", path, r->holds ? "verified" : "NOT verified");
    print_structure(r);
    print_certificate(r);
    print_document(r);
}

/* --- the command --------------------------------------------------------------------------- */

static int verify(const Common *a) {
    RaspError error;
    RaspModel *model;
    RaspVerifyReport report;
    int status = weights_open(a->argument, &(WeightsLimits){a->memory, a->time_limit}, &model);
    if (status != EXIT_FINE) return status;
    if (rasp_verify(model, &report, &error)) {
        (a->json ? print_json : print_text_report)(a->argument, &report);
        status = report.holds ? EXIT_FINE : EXIT_DISAGREE;
    } else {
        status = report_failure(&error);
    }
    rasp_model_free(model);
    return status;
}

int cmd_verify(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = option_parse, .args_doc = "WEIGHTS", .doc = help};
    Common arguments = {.kind = &weights_argument};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (weights_recognised(arguments.argument)) return verify(&arguments);
    report_error("'%s' is no weights file ('rasp compile PROGRAM -o FILE' makes one)",
                 arguments.argument);
    return EXIT_WRONG_PROGRAM;
}
