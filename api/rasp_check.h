/* rasp_check.h: is a model its program?  Three ways to know: running both on inputs (check),
 * compiling the program again (verify), and showing from the weights what each piece of the model
 * is (claims, and prove, which finds them): docs/proof.md.
 *
 * Handles, errors, threads and strings are those of rasp.h.
 */
#ifndef RASP_CHECK_H
#define RASP_CHECK_H

#include "rasp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* === inputs =============================================================================== */

typedef struct RaspCheckOptions {
    uint64_t seed;             /* of the inputs that are drawn */
    uint64_t count;            /* inputs if there are too many to try all */
    uint64_t exhaustive_limit; /* try all if they are at most so many */
    RaspRule rule;
    double parameter;           /* of a rule that takes one */
    const double *temperatures; /* each is compared; NULL: 1 */
    size_t temperature_count;
    uint32_t shown; /* most disagreements kept of each */
    int threads;
    void (*progress)(void *context, size_t inputs);
    void *progress_context;
    /* A piece of the check, `shard` of `shards`, from 1; 0: all of it.  The reports of all pieces
     * add up to that of the whole. */
    uint32_t shard, shards;
    /* Cancelled, or after so much CPU time (0: any), report what was compared until then. */
    bool keep;
    double seconds;
} RaspCheckOptions;

/* Seed 1, count 20,000, all if at most 200,000, softmax, 3 disagreements. */
RASP_API RaspCheckOptions rasp_check_options(void);

/* The inputs of a target, as the program's magic comment completes it: all of them if they are few,
 * shortest first, else all short ones and then longer ones that are drawn.  Of the options seed,
 * count, exhaustive_limit, shard and shards are read; both may be NULL. */
typedef struct RaspInputs RaspInputs;
RASP_API RaspInputs *rasp_inputs_new(RaspProgram *program, const RaspTarget *target,
                                     const RaspCheckOptions *options, RaspError *error);
RASP_API void rasp_inputs_free(RaspInputs *inputs);
/* The next one, tokens, valid until the next call.  False: there are no more (RASP_OK), or the
 * error. */
RASP_API bool rasp_inputs_next(RaspInputs *inputs, RaspInput *input, RaspError *error);

typedef struct RaspInputsInfo {
    bool exhaustive;          /* every input is among them */
    uint32_t complete_length; /* every input up to this length is */
    uint32_t max_length;
    size_t given;   /* so far */
    size_t outside; /* tried so far, and `where` is not true everywhere */
    uint64_t seed;
    uint64_t number; /* of the last one given, in the order of all that were tried */
} RaspInputsInfo;
RASP_API RaspInputsInfo rasp_inputs_info(const RaspInputs *inputs);

/* === check: both are run ================================================================== */

typedef struct RaspCheckExample {
    const RaspAtom *input, *expected, *found; /* `length` each */
    size_t length, output;
    uint64_t number; /* of the input, in the order of all */
} RaspCheckExample;

/* How one temperature fared. */
typedef struct RaspCheckRun {
    double temperature;
    size_t agreed;        /* inputs */
    size_t right;         /* positions, over all outputs */
    double largest_error; /* of outputs decoded as numbers; -1: none are */
    double least_margin;  /* negative: a decision is wrong; infinite: nothing was decided */
    const RaspCheckExample *examples;
    size_t example_count;
} RaspCheckRun;

typedef struct RaspCheckReport {
    bool agree;               /* every compared input, at every temperature, and there are some */
    bool exhaustive;          /* every input of the domain was tried */
    uint32_t complete_length; /* every input up to this length was */
    size_t compared, positions;
    size_t faulted;  /* inputs on which the interpreter reports an error of an output */
    size_t left_out; /* those of them on which the model does not say so: not compared */
    size_t outside;  /* inputs that the domain excludes */
    uint64_t seed;
    const RaspCheckRun *runs;
    size_t run_count;
    size_t tried;       /* inputs, of a piece its own, those that are left out or outside, too */
    RaspStatus stopped; /* RASP_OK, or why this is not all (RaspCheckOptions.keep) */
} RaspCheckReport;

/* The model against the interpreter, which runs the program that the model was compiled from or
 * embeds.  `options` may be NULL. */
RASP_API RaspCheckReport *rasp_check(RaspModel *model, const RaspCheckOptions *options,
                                     RaspError *error);
RASP_API void rasp_check_free(RaspCheckReport *report);

/* === verify: the program is compiled again ================================================ */

enum { RASP_VERIFY_SHOWN = 8 }; /* most texts kept of each kind */

typedef struct RaspVerifyReport {
    bool holds; /* the file's outputs are its program's on every input of its domain, and what it
                 * says of itself is what its compilation says */
    bool same_structure;  /* that of the embedded program, compiled again */
    char difference[256]; /* the first that is not */
    size_t weights, changed;
    double largest;              /* of the changes */
    char where[128];             /* that weight */
    RaspCertificate certificate; /* of the file's own weights; texts live with the model */
    double claimed;              /* the error that the file states; negative: none */
    bool claims_too_much;
    size_t false_claims; /* keys of its document that are not what they should be */
    const char *claims[RASP_VERIFY_SHOWN]; /* "groups[3].carries: expected "x", found "y"" */
    size_t unknown_keys;                   /* keys that rasp does not write: nobody verified them */
    const char *unknown[RASP_VERIFY_SHOWN];
} RaspVerifyReport;

/* Evaluates and compiles the embedded program again, compares, and bounds the error of the
 * model's own weights.  False: that could not be done.  Texts live with the model. */
RASP_API bool rasp_verify(RaspModel *model, RaspVerifyReport *report, RaspError *error);

/* === claims: shown from the weights ======================================================= */

/* Has the file claims, from which it can be shown what its weights compute (docs/proof.md)? */
RASP_API bool rasp_model_claims(const RaspModel *model);

typedef struct RaspClaimsReport {
    bool holds; /* the weights' outputs are the program's on every input of the file's domain */
    RaspCertificate certificate; /* empty where a claim is refused; texts live with the model */
    double claimed;              /* the error that the file states, which may be less than is shown;
                                  * negative: none */
    RaspAnswers answers;         /* has the program an answer everywhere? */
    uint64_t answers_tried;
    char refused[512]; /* what is not shown, and why; "" */
} RaspClaimsReport;

/* Shows the file's claims by its weights: nothing is compiled, and the program is the one that is
 * given, or where that is NULL the embedded one.  A given program has an s-op, or an expression,
 * for each output's name.  False: that could not be done, there are no claims for instance. */
RASP_API bool rasp_verify_claims(RaspModel *model, RaspProgram *program, RaspClaimsReport *report,
                                 RaspError *error);

/* === prove: claims are found ============================================================== */

/* What is known of a piece of the weights: a head, some hidden units, a dimension. */
typedef enum RaspStanding {
    RASP_STANDING_SHOWN,    /* it is what is said, on every input */
    RASP_STANDING_MEASURED, /* on those that were run */
    RASP_STANDING_NOT_FOUND,
} RaspStanding;

typedef struct RaspProvePiece {
    const char *place; /* "layer 1, head 2" */
    const char *text;  /* what it is, or why that was not found */
    RaspStanding standing;
} RaspProvePiece;

typedef struct RaspProveReport {
    RaspClaimsReport claims; /* of what was found: does it hold as a whole? */
    const RaspProvePiece *pieces;
    size_t piece_count;
    size_t measured; /* inputs that pieces were found on */
    size_t compared; /* inputs on which outputs were compared with the program's */
    bool differs;    /* on one of these: */
    RaspCheckExample example;
} RaspProveReport;

/* Finds claims by watching the model run beside the program, which may be NULL as above, whatever
 * the model claims, and shows them.  If they hold, the model makes them from now on, and is saved
 * with them; else it claims what it did.  Texts live with the program.  False: that could not be
 * done. */
RASP_API bool rasp_prove(RaspModel *model, RaspProgram *program, RaspProveReport *report,
                         RaspError *error);

#ifdef __cplusplus
}
#endif

#endif
