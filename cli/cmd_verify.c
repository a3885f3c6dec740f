/* `rasp verify WEIGHTS`: does the file hold what it says?
 *
 * By its claims: each follows from the weights and those before it, nothing is compiled
 * (docs/proof.md).  By compiling again, for files without claims, or whose claims are not shown:
 * the embedded source is evaluated and compiled with the stored options, the file must have that
 * model's structure, the certificate is computed from the file's own weights, and what the file
 * says of itself must be what the compilation says. */
#include "cli/command.h"

#include "api/rasp_check.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/summary.h"
#include "cli/weights.h"

#include <math.h>
#include <string.h>

enum { KEY_PROGRAM = OPTION_OWN_KEYS, KEY_BY };

typedef enum Way { WAY_ANY, WAY_CLAIMS, WAY_COMPILING } Way;

typedef struct VerifyArguments {
    Common common;
    const char *program;
    Way way;
} VerifyArguments;

static const struct argp_option options[] = {
    {"program", KEY_PROGRAM, "PROGRAM", 0,
     "the program that the weights are to compute, instead of the embedded one: it has an s-op for "
     "the name of each output; by the file's claims",
     1},
    {"by", KEY_BY, "WAY", 0,
     "'claims': what the file says of its pieces is shown, nothing is compiled; 'compiling': the "
     "embedded program is compiled again and compared (default: claims, and compiling where there "
     "are none or they are not shown)",
     1},
    OPTION_JSON("the findings as one JSON object", 1),
    OPTION_TIME,
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Verify that a weights file computes the program that it embeds, on every input of its "
    "domain, and bound its error: by what the file claims of its pieces, or by comparing it with "
    "what the program compiles to.\v"
    "The exit status is 1 if that cannot be shown.\n\n"
    "Examples:\n"
    "  rasp verify w.bin\n"
    "  rasp verify w.bin --program histogram.rasp";

/* What was found: by claims, by compiling again, or first by the one and then by the other. */
typedef struct Findings {
    const char *path, *program; /* NULL: the embedded one */
    bool by_claims, by_compiling;
    RaspClaimsReport claims;
    RaspVerifyReport again;
} Findings;

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

static void print_certificate(const RaspCertificate *c, double claimed, const char *states) {
    if (!c->holds) {
        printf("  certificate  does not hold: %s\n", safe_text(c->broken));
        return;
    }
    printf("  certificate  holds: error at most %.3g in the residual stream\n", c->error);
    if (claimed >= 0 && claimed < c->error)
        printf("               %s %.3g, which is less\n", states, claimed);
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

static void json_certificate(Json *j, const RaspCertificate *c, double claimed) {
    json_flag(j, "holds", c->holds);
    json_number(j, "error", "%g", c->holds ? c->error : NAN);
    json_number(j, "claimed_error", "%g", claimed < 0 ? NAN : claimed);
    json_number(j, "tightest", "%g", c->holds ? c->tightest : NAN);
    json_count(j, "layer", c->layer);
    json_text(j, "where", c->holds ? c->where : c->broken);
}

static void json_again(Json *j, const RaspVerifyReport *r) {
    json_flag(j, "same_structure", r->same_structure);
    if (!r->same_structure) {
        json_text(j, "difference", r->difference);
        return;
    }
    json_count(j, "weights", r->weights);
    json_count(j, "changed", r->changed);
    json_number(j, "largest_change", "%g", r->largest);
    json_certificate(j, &r->certificate, r->claimed);
    json_count(j, "false_claims", r->false_claims);
    json_list(j, "claims", r->claims, r->false_claims);
    json_count(j, "unknown_keys", r->unknown_keys);
    json_list(j, "unknown", r->unknown, r->unknown_keys);
}

static bool verified(const Findings *f) {
    return f->by_compiling ? f->again.holds : f->claims.holds;
}

static void print_json(const Findings *f) {
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "file", f->path);
    json_flag(&j, "verified", verified(f));
    json_text(&j, "way", f->by_compiling ? "compiling" : "claims");
    if (f->program) json_text(&j, "program", f->program);
    if (f->by_claims) json_text(&j, "refused", f->claims.refused);
    if (f->by_compiling)
        json_again(&j, &f->again);
    else
        json_certificate(&j, &f->claims.certificate, f->claims.claimed);
    json_end(&j);
}

static void print_claims(const Findings *f) {
    const RaspClaimsReport *r = &f->claims;
    if (r->refused[0]) {
        printf("  claims       not shown: %s\n", safe_text(r->refused));
        return;
    }
    printf("  claims       each follows from the weights: the outputs are those of %s\n",
           f->program ? safe_text(f->program) : "the embedded program");
    print_certificate(&r->certificate, r->claimed, "not shown: what the file states,");
    puts("  description  not looked at: names, groups and tables (--by compiling compares them)");
}

static void print_again(const RaspVerifyReport *r) {
    print_structure(r);
    if (r->same_structure) print_certificate(&r->certificate, r->claimed, "but the file claims");
    print_document(r);
}

static void print_text_report(const Findings *f) {
    printf("%s: %s\n", f->path, verified(f) ? "verified" : "NOT verified");
    printf("  way          %s\n", f->by_compiling ? "by compiling again" : "by its claims");
    if (f->by_claims) print_claims(f);
    if (f->by_compiling) print_again(&f->again);
}

/* --- the command --------------------------------------------------------------------------- */

static bool find(const VerifyArguments *a, RaspModel *model, RaspProgram *program, Findings *f,
                 RaspError *error) {
    f->by_claims = a->way != WAY_COMPILING && (program || a->way || rasp_model_claims(model));
    if (f->by_claims && !rasp_verify_claims(model, program, &f->claims, error)) return false;
    bool last = a->way == WAY_CLAIMS || program || (f->by_claims && f->claims.holds);
    f->by_compiling = !last;
    return last || rasp_verify(model, &f->again, error);
}

static int verify(const VerifyArguments *a, RaspModel *model, const Program *program) {
    RaspError error;
    Findings findings = {.path = a->common.argument, .program = program->shown};
    if (!find(a, model, program->handle, &findings, &error)) return report_failure(&error);
    (a->common.json ? print_json : print_text_report)(&findings);
    return verified(&findings) ? EXIT_FINE : EXIT_DISAGREE;
}

static int open_and_verify(const VerifyArguments *a) {
    RaspModel *model;
    Program program;
    WeightsLimits limits = {a->common.memory, a->common.time_limit};
    int status = weights_open_beside(a->common.argument, &limits, a->program, &model, &program);
    if (status != EXIT_FINE) return status;
    status = verify(a, model, &program);
    rasp_program_free(program.handle);
    rasp_model_free(model);
    return status;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    VerifyArguments *a = state->input;
    static const char *const ways[] = {[WAY_CLAIMS] = "claims", [WAY_COMPILING] = "compiling"};
    switch (key) {
    case KEY_PROGRAM:
        a->program = text;
        return 0;
    case KEY_BY:
        for (int k = WAY_CLAIMS; k <= WAY_COMPILING; k++)
            if (strcmp(text, ways[k]) == 0) a->way = (Way)k;
        if (!a->way) argp_error(state, "--by: expected claims or compiling, found '%s'", text);
        return 0;
    case ARGP_KEY_END:
        if (a->program && a->way == WAY_COMPILING)
            argp_error(state, "--program is for claims: only the embedded program is compiled");
        break;
    }
    return option_common(key, text, state, &a->common);
}

int cmd_verify(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "WEIGHTS", .doc = help};
    VerifyArguments arguments = {.common = {.kind = &weights_argument}};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (weights_recognised(arguments.common.argument)) return open_and_verify(&arguments);
    report_error("'%s' is no weights file ('rasp compile PROGRAM -o FILE' makes one)",
                 arguments.common.argument);
    return EXIT_WRONG_PROGRAM;
}
