/* rasp.h: RASP programs, the transformers they compile to, and runs of both.
 *
 * This is the public header; C and C++ read it, and `rasp` itself is its client.  Beside it are
 * rasp_check.h (is a model its program?), rasp_circuit.h (what a model is made of, piece by piece),
 * rasp_graph.h (what a program is made of), rasp_facts.h (what its text shows of it), rasp_repl.h
 * (a session of statements), rasp_generate.h (random programs) and rasp_words.h (the language's
 * words).
 *
 *     text ──▶ RaspProgram ──▶ RaspRun         the interpreter: discrete hard attention
 *                  │
 *                  └─rasp_compile─▶ RaspModel ──▶ RaspEngine ──▶ RaspForward    soft attention
 *                                       │  ▲
 *                                       ▼  │  a weights file (docs/weights.md)
 *
 * Handles.  Whoever gets a handle from `rasp_X_load`, `rasp_X_new` or the like gives it back to
 * `rasp_X_free` (NULL is fine), in any order: a handle keeps alive what it was made from.
 * Pointers that a function gives belong to the handle it was asked of and live as long, unless
 * it says otherwise; only what is documented "for rasp_free" is the caller's.
 *
 * Errors.  A function that can fail gives false or NULL and, if `error` is not NULL, fills it:
 * a status, one line of text (what was expected, what was found, the way out) and the place in
 * the program.  A program's text may have several mistakes: RaspConfig.report hears each of
 * them (and warnings), the error is the first.  Nothing exits, prints or changes a global; standard
 * streams and signals are the caller's.
 *
 * Threads.  A handle, with what was made from it, belongs to one thread at a time; different
 * handles may be used by different threads.  A RaspModel alone is never changed by those who
 * use it: engines in several threads may come from one model.
 *
 * Strings are UTF-8; those with a length may hold NUL bytes.
 */
#ifndef RASP_H
#define RASP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RASP_API __attribute__((visibility("default")))

#define RASP_VERSION       "0.1.0"
#define RASP_VERSION_MAJOR 0
#define RASP_VERSION_MINOR 1
#define RASP_VERSION_PATCH 0

/* Of the library, which may be newer than the header. */
RASP_API const char *rasp_version(void);

/* Gives back what was given "for rasp_free". */
RASP_API void rasp_free(void *memory);

/* === errors and messages ================================================================== */

typedef enum RaspStatus {
    RASP_OK,
    RASP_WRONG_USE,     /* an argument or option */
    RASP_WRONG_PROGRAM, /* the program's text, a name that it has not, a statement without end */
    RASP_NO_FILE,       /* missing or unreadable */
    RASP_WRONG_FILE,    /* no weights file, a broken one, or one that does not fit the request */
    RASP_FAILED,        /* while running or compiling */
    RASP_OUT_OF_MEMORY, /* RaspConfig.memory, or the system's */
    RASP_OUT_OF_TIME,   /* a time limit */
    RASP_CANCELLED,     /* RaspConfig.cancel */
} RaspStatus;

/* A place in a text.  `source` is NULL where there is none; columns count code points. */
typedef struct RaspPlace {
    const char *source;            /* the file's name, as it was given */
    uint32_t line, column;         /* from 1; where it begins */
    uint32_t end_line, end_column; /* just behind its end */
} RaspPlace;

/* What went wrong, a plain value: no pointer in it needs an owner. */
typedef struct RaspError {
    RaspStatus status;
    uint32_t line, column; /* from 1, or 0: about no place */
    bool reported;         /* RaspConfig.report has heard it */
    char source[192];      /* its file, cut if need be, or "" */
    char text[1024];       /* one line, lower case, no full stop */
} RaspError;

typedef enum RaspSeverity { RASP_ERROR, RASP_WARNING, RASP_NOTE } RaspSeverity;

/* A message about a text; valid during the call that brings it. */
typedef struct RaspMessage {
    RaspSeverity severity;
    const char *text;
    RaspPlace place;
    const char *line;     /* the text's line, NULL where there is no place */
    uint32_t line_length; /* in bytes, as the next two: the place within the line */
    uint32_t begin, end;
    const struct RaspMessage *notes;
    size_t note_count;
} RaspMessage;

/* The message with its source line and a caret below it, several lines; for rasp_free.  Colour
 * by ANSI escapes.  Control characters of the source are shown as blanks, those of the message
 * as escapes. */
RASP_API char *rasp_message_show(const RaspMessage *message, bool colour);
/* The same in lines of at most `width` columns, as far as words allow; 0: any. */
RASP_API char *rasp_message_fit(const RaspMessage *message, bool colour, size_t width);

/* === what every handle is made with ======================================================= */

/* Reads a file whole: 0 and *text from malloc (the library frees it), or an errno. */
typedef int RaspRead(void *context, const char *path, char **text, size_t *length);

/* Where else the program `name` (as a `load` writes it, without a suffix) may be: its path from
 * malloc (the library frees it), or NULL. */
typedef char *RaspFind(void *context, const char *name);

/* All zero is fine: the defaults are in the comments.  Copied; what it points to must outlive
 * the handles made with it. */
typedef struct RaspConfig {
    size_t memory;                       /* bytes a handle may use; 0: 4 GiB, SIZE_MAX: no limit */
    double cpu_seconds;                  /* of this thread that one call may take; 0: no limit */
    const volatile sig_atomic_t *cancel; /* NULL, or: what is non-zero ends the call */
    RaspRead *read;                      /* files that programs load; NULL: the file system's */
    void *read_context;
    void (*report)(void *context, const RaspMessage *message); /* NULL: only errors are given */
    void *report_context;
    bool strict;    /* a RaspRepl refuses what the reference interpreter refuses */
    RaspFind *find; /* asked for what is at neither place where `load` looks; NULL: nobody is */
    void *find_context;
    const char *find_places; /* what it looks through, for messages: "RASP_PATH" */
} RaspConfig;

/* === values =============================================================================== */

typedef enum RaspKind { RASP_BOOL, RASP_INT, RASP_FLOAT, RASP_STRING } RaspKind;

/* The value of one position: True, 1, 1.0 and "1" are four different atoms. */
typedef struct RaspAtom {
    RaspKind kind;
    union {
        bool b;
        int64_t i;
        double f;
        struct {
            const char *text;
            size_t length; /* bytes */
        } s;
    } as;
} RaspAtom;

RASP_API RaspAtom rasp_bool(bool b);
RASP_API RaspAtom rasp_int(int64_t i);
RASP_API RaspAtom rasp_float(double f);
RASP_API RaspAtom rasp_string(const char *text); /* not copied */

/* The same kind and value; floats by their bits. */
RASP_API bool rasp_atom_same(RaspAtom a, RaspAtom b);
/* The language's ==: numbers by value across kinds. */
RASP_API bool rasp_atom_equal(RaspAtom a, RaspAtom b);

typedef enum RaspStyle {
    RASP_PLAIN,  /* True, 3, 0.5, text as it is */
    RASP_QUOTED, /* strings in double quotes, nothing escaped */
    RASP_LISTED, /* strings as in a printed list: 'a', "it's", escapes */
    RASP_CELL,   /* T and F, floats in full, strings bare */
    RASP_JSON,   /* true, 3, 0.5, "escaped"; inf and nan as strings */
} RaspStyle;

/* Writes the text as snprintf does; gives its length, which may exceed size - 1. */
RASP_API size_t rasp_atom_text(RaspAtom atom, RaspStyle style, char *text, size_t size);
/* Rounded to so many decimals, correctly, from the exact binary value. */
RASP_API double rasp_round(double value, int decimals);

/* What a sequence's values are together (floats may have ints among them, ints bools). */
typedef enum RaspType { RASP_STRINGS, RASP_BOOLS, RASP_INTS, RASP_FLOATS } RaspType;
RASP_API const char *rasp_type_name(RaspType type); /* "strings", "bools", "ints", "floats" */

/* The values of an s-op on one input. */
typedef struct RaspSequence RaspSequence;
RASP_API size_t rasp_sequence_length(const RaspSequence *sequence);
RASP_API RaspType rasp_sequence_type(const RaspSequence *sequence);
RASP_API RaspAtom rasp_sequence_at(const RaspSequence *sequence, size_t position);
/* All of them, for languages that cannot call a function that gives one: `atoms` has room for the
 * length; strings belong to the sequence. */
RASP_API void rasp_sequence_atoms(const RaspSequence *sequence, RaspAtom *atoms);
/* The values from *position on as text, in style RASP_CELL with ", " between them and before the
 * first of them if it is not the sequence's: as many as fit in `size` bytes, at least 80.  Gives
 * how many bytes it wrote, without a NUL, and moves *position on; it stays where a string does not
 * fit. */
RASP_API size_t rasp_sequence_text(const RaspSequence *sequence, size_t *position, char *text,
                                   size_t size);
/* Are all its values equal (==)? */
RASP_API bool rasp_sequence_uniform(const RaspSequence *sequence);

/* An input: tokens, or a text that is read.  A text that has the form of a non-empty list of
 * atoms, [3, 1, 2] or ["hi", true], is that list; any other is a string, a token a character, but
 * for one that only begins like a list ([1, 2 or [a, b]), which is a mistake. */
typedef enum RaspForm { RASP_AUTO, RASP_AS_STRING, RASP_AS_LIST } RaspForm;
typedef struct RaspInput {
    const RaspAtom *tokens; /* NULL: the text */
    size_t count;
    const char *text;
    size_t length; /* bytes */
    RaspForm form;
} RaspInput;

/* The tokens that the input says, with their strings in one block for rasp_free. */
RASP_API RaspAtom *rasp_input_read(const RaspInput *input, const RaspConfig *config, size_t *count,
                                   RaspError *error);

/* === programs ============================================================================= */

typedef struct RaspProgram RaspProgram;

/* A program's text, or the file that holds it. */
typedef struct RaspSource {
    const char *path; /* of the file; with a text, what messages call it (NULL: "program") */
    const char *name; /* what messages about the whole program call it; NULL: the path */
    const char *text; /* NULL: the file's */
    size_t length;
} RaspSource;

/* Evaluates the program to s-ops; nothing is run.  The functions of the language's library are
 * in the binary.  `load "x";` asks RaspConfig.read for x.rasp, first as written, then beside
 * the file that loads it, then where RaspConfig.find says it is. */
RASP_API RaspProgram *rasp_program_load(const RaspSource *source, const RaspConfig *config,
                                        RaspError *error);
RASP_API void rasp_program_free(RaspProgram *program);

/* An s-op of a program; `name` lives with the program. */
typedef struct RaspSop {
    const char *name;
    uint32_t node;
    enum { RASP_BY_DEFAULT, RASP_BY_NAME, RASP_BY_EXPRESSION } chosen;
} RaspSop;

/* What a name can hold. */
typedef enum RaspValueKind {
    RASP_VALUE_ATOM,
    RASP_VALUE_LIST,
    RASP_VALUE_DICT,
    RASP_VALUE_FUNCTION,
    RASP_VALUE_SOP,
    RASP_VALUE_SELECTOR,
} RaspValueKind;

/* The s-op of that name; NULL: the one assigned last. */
RASP_API bool rasp_program_sop(RaspProgram *program, const char *name, RaspSop *sop,
                               RaspError *error);
/* What the expression gives in the program's scope. */
RASP_API bool rasp_program_expression(RaspProgram *program, const char *expression, RaspSop *sop,
                                      RaspError *error);
/* The same of an s-op or a selector, which *kind says; `is_name`: the text is a name of the
 * program. Selectors are for rasp_run_new, with rasp_run_selection, and for rasp_graph_new. */
RASP_API bool rasp_program_value(RaspProgram *program, const char *text, bool is_name,
                                 RaspValueKind *kind, RaspSop *value, RaspError *error);
/* How the function of that name is applied, with its parameters for arguments, but `tokens` for one
 * called seq: "count(tokens, atom)"; lives with the program.  NULL: it is none. */
RASP_API const char *rasp_program_call(RaspProgram *program, const char *name, RaspError *error);
/* All public s-ops, in the order of their last assignment; NULL when memory runs out. */
RASP_API const RaspSop *rasp_program_sops(RaspProgram *program, size_t *count, RaspError *error);

/* Reports as warnings what runs and can hardly have been meant in the s-ops, once a place: a string
 * compared with a number, a literal for a condition.  rasp_compile does so by itself. */
RASP_API bool rasp_program_warn(RaspProgram *program, const RaspSop *sops, size_t count,
                                RaspError *error);

/* The settings of the magic comment `# rasp: alphabet=abc max-length=16`: k-th key and value,
 * false after the last. */
RASP_API bool rasp_program_setting(const RaspProgram *program, size_t k, const char **key,
                                   const char **value);

/* --- attention layers --- */

typedef struct RaspHead {
    uint32_t layer;       /* from 1 */
    const char *selector; /* in source form */
    RaspPlace place;
    uint32_t uses; /* aggregates and widths that read it */
} RaspHead;

typedef struct RaspStep {
    const char *sop; /* its name, or in source form */
    RaspPlace place;
} RaspStep;

typedef struct RaspLayers {
    uint32_t count; /* attention layers that the s-op needs: RASP's depth */
    const RaspHead *heads;
    size_t head_count;
    const RaspStep *path; /* a longest chain of attention, one step a layer */
} RaspLayers;

/* Lives with the program. */
RASP_API const RaspLayers *rasp_program_layers(RaspProgram *program, const RaspSop *sop,
                                               RaspError *error);

/* --- dumps --- */

/* The graph below some s-ops as text; for rasp_free. */
RASP_API char *rasp_program_graph(RaspProgram *program, const RaspSop *sops, size_t count,
                                  RaspError *error);
/* The syntax tree of a text as S-expressions; nothing is evaluated; for rasp_free. */
RASP_API char *rasp_syntax_tree(const RaspSource *source, const RaspConfig *config,
                                RaspError *error);

/* === the interpreter ====================================================================== */

typedef struct RaspRun RaspRun;

typedef enum RaspPlan { RASP_PLAN_AUTO, RASP_PLAN_NAIVE } RaspPlan;

typedef struct RaspRunOptions {
    RaspPlan plan;
    int threads; /* 0: as many as there are cores */
    bool stats;
} RaspRunOptions;

/* Makes ready to run the s-ops on one input; `options` may be NULL. */
RASP_API RaspRun *rasp_run_new(RaspProgram *program, const RaspInput *input, const RaspSop *sops,
                               size_t count, const RaspRunOptions *options, RaspError *error);
RASP_API void rasp_run_free(RaspRun *run);
/* Computes the k-th s-op's values.  NULL: this s-op fails on the input; others may not. */
RASP_API const RaspSequence *rasp_run_sequence(RaspRun *run, size_t k, RaspError *error);
/* The same of a selector: cell [i * n + j] says whether query i selects key j. */
RASP_API const bool *rasp_run_selection(RaspRun *run, size_t k, RaspError *error);
/* The tokens, and whether they were written as a string. */
RASP_API const RaspSequence *rasp_run_input(const RaspRun *run, bool *is_string);

/* Many inputs at once.  Short texts of characters take less time so, those of one length together;
 * whatever else there is among them is passed over, as is what fails: run that by itself, which
 * says why.  NULL: nothing could be run. */
typedef struct RaspRuns RaspRuns;
RASP_API RaspRuns *rasp_runs_new(RaspProgram *program, const RaspInput *inputs, size_t input_count,
                                 const RaspSop *sops, size_t count, RaspError *error);
RASP_API void rasp_runs_free(RaspRuns *runs);
/* The values of the k-th s-op on an input, by its number, until the same is asked of another; NULL:
 * run it by itself. */
RASP_API const RaspSequence *rasp_runs_sequence(RaspRuns *runs, size_t input, size_t k);
/* Was the input run? */
RASP_API bool rasp_runs_has(const RaspRuns *runs, size_t input);
/* The tokens of an input that was run, until those of another are asked for. */
RASP_API const RaspSequence *rasp_runs_input(RaspRuns *runs, size_t input);

/* What was computed: a row an s-op, in that order (with options.stats). */
typedef struct RaspStat {
    const char *sop;  /* as text */
    const char *plan; /* "groups", "elementwise", … */
    size_t rows;
    double seconds;
    size_t bytes;
} RaspStat;
RASP_API const RaspStat *rasp_run_stats(RaspRun *run, size_t *count, RaspError *error);

/* === compiling ============================================================================ */

typedef struct RaspModel RaspModel;

/* How a row of scores becomes weights.  Softmax means what the model was compiled for. */
typedef enum RaspRule {
    RASP_SOFTMAX,
    RASP_HARD_LEFT,
    RASP_HARD_RIGHT,
    RASP_AVERAGE,
    RASP_SPARSEMAX,
    RASP_ENTMAX15,
    RASP_ENTMAX, /* of any alpha */
    RASP_TOP_K
} RaspRule;
RASP_API const char *rasp_rule_name(int rule); /* NULL behind the last */
RASP_API bool rasp_rule_has_temperature(RaspRule rule);
/* Can a model be compiled for it (RaspTarget.kernel)? */
RASP_API bool rasp_rule_is_kernel(RaspRule rule);

/* The number that a rule takes, as in top-k:4: a whole one of at least `least`, or any above it. */
typedef struct RaspRuleParameter {
    const char *name; /* NULL: it takes none, and is given 0 */
    bool whole;
    double least, example;
} RaspRuleParameter;
RASP_API RaspRuleParameter rasp_rule_parameter(RaspRule rule);
RASP_API bool rasp_rule_accepts(RaspRule rule, double parameter);

typedef enum RaspDtype { RASP_DTYPE_AUTO, RASP_F32, RASP_F64 } RaspDtype;
typedef enum RaspMasks { RASP_MASKS_PER_HEAD, RASP_MASKS_NONE, RASP_MASKS_CAUSAL } RaspMasks;
typedef enum RaspLayout { RASP_COMPACT, RASP_STANDARD } RaspLayout;

/* The inputs that the model is for, and how it is made.  All zero: what the program's magic
 * comment says, else a to z, length 16. */
typedef struct RaspTarget {
    const RaspAtom *tokens; /* the alphabet, or */
    size_t token_count;
    const char *alphabet; /* its text: "abc", '["hi", "you"]', "[1, 2]", "@FILE" */
    uint32_t max_length;
    const char *first; /* inputs start with this token */
    const char *where; /* an s-op (an expression) that is true everywhere */
    RaspDtype dtype;
    RaspMasks masks;
    RaspLayout layout;
    bool log_length;      /* scores scaled by ln(n+1) when run */
    double tolerance;     /* greatest certified error to accept; 0: any */
    uint32_t table_limit; /* most values of one s-op; 0: 1,048,576 */
    double time_limit;    /* CPU seconds; 0: RaspConfig's */
    bool partial;         /* there may be inputs without an answer: rasp_forward says which */
    RaspRule kernel;      /* how scores become weights: RASP_SOFTMAX, or a sparse one, under which
                             keys that are not selected have no weight, whatever the length */
    /* NULL, or told what is about to be done, in a word or two, and how many types and shapes of
     * weights were tried before: "answers", "lowering", "weights", "certificate", "description". */
    void (*progress)(void *context, const char *step, uint32_t tries);
    void *progress_context;
} RaspTarget;

enum { RASP_LONGEST = 50000 }; /* the greatest max_length */

/* The words of the enumerations above, as options and files spell them; NULL behind the last. */
RASP_API const char *rasp_dtype_name(int dtype);
RASP_API const char *rasp_masks_name(int masks);
RASP_API const char *rasp_layout_name(int layout);

/* The s-ops as a transformer that gives their values on every input of the target, certified:
 * the model is a complete weights file. */
RASP_API RaspModel *rasp_compile(RaspProgram *program, const RaspSop *outputs, size_t count,
                                 const RaspTarget *target, RaspError *error);

typedef struct RaspCertificate {
    bool holds;
    double error;       /* bound on |what an output reads - its nominal value| */
    double tightest;    /* largest error / what the decision `where` allows; holds: below 1 */
    const char *where;  /* "" if nothing is decided */
    uint32_t layer;     /* of the file */
    double beta;        /* score difference between selected and not */
    const char *broken; /* why it does not hold, or "" */
    /* Floats that the model gives one for the other, because they may be one real number added up
     * in two orders: the greatest difference, and relative to the smaller one; 0: none are. */
    double joined_absolute, joined_relative;
} RaspCertificate;

/* Of rasp_compile: the certificate.  False: the model is from a file (rasp_verify). */
RASP_API bool rasp_model_certificate(const RaspModel *model, RaspCertificate *certificate);

typedef struct RaspCompileStats {
    double seconds, lowering, weights, certificate;
    uint32_t tries, nodes;
    uint32_t depth; /* RASP's */
} RaspCompileStats;
RASP_API bool rasp_model_compile_stats(const RaspModel *model, RaspCompileStats *stats);

/* What the compiler decided, as text: "sets", "cover", "heads", "schedule" or "model"; for
 * rasp_free. */
RASP_API char *rasp_model_dump(RaspModel *model, const char *what, RaspError *error);
RASP_API const char *rasp_dump_name(int k); /* NULL behind the last */

/* === weights files ======================================================================== */

/* Do these first bytes (8 are enough) look like a weights file? */
RASP_API bool rasp_is_weights(const void *start, size_t size);

RASP_API RaspModel *rasp_model_load(const char *path, const RaspConfig *config, RaspError *error);
RASP_API RaspModel *rasp_model_from_bytes(const void *bytes, size_t size, const char *name,
                                          const RaspConfig *config, RaspError *error);
/* Nothing that was at `path` is lost when saving fails. */
RASP_API bool rasp_model_save(const RaspModel *model, const char *path, RaspError *error);
/* The same bytes; *bytes is for rasp_free. */
RASP_API bool rasp_model_bytes(const RaspModel *model, unsigned char **bytes, size_t *size,
                               RaspError *error);
RASP_API void rasp_model_free(RaspModel *model);

/* Has the program an answer on every input that the model is for? */
typedef enum RaspAnswers {
    RASP_ANSWERS_UNKNOWN,   /* the file does not say */
    RASP_ANSWERS_PROVED,    /* on every one, from the values that its s-ops can have */
    RASP_ANSWERS_RUN,       /* on every one: the interpreter ran them all */
    RASP_ANSWERS_NOT_SHOWN, /* on each of `answers_tried` */
    RASP_ANSWERS_PARTIAL,   /* not: the model says itself where there is none */
} RaspAnswers;

typedef struct RaspOutput {
    const char *name;
    const char *decode;     /* "argmax", "nearest", "number" or "whole" */
    size_t start;           /* first residual dimension that it reads */
    const RaspAtom *values; /* all that it can be; of "whole" the least and the greatest */
    size_t value_count;
    ptrdiff_t flag; /* in `outputs`, behind `output_count`: what is true where this has no answer;
                       -1: it has one everywhere */
} RaspOutput;

typedef struct RaspModelInfo {
    const char *program; /* name of the embedded source, or NULL */
    const RaspAtom *alphabet;
    size_t alphabet_size, max_length;
    RaspKind token_kind;
    ptrdiff_t first;   /* the alphabet's index of the token that inputs start with, or -1 */
    const char *where; /* the s-op that inputs make true everywhere, or NULL */
    RaspDtype dtype;
    size_t layer_count;
    const size_t *heads_per_layer;
    size_t attention_layers, heads, layers_without_heads; /* of layer_count */
    size_t sublayers, hidden_units, width, parameters, nonzero;
    const RaspOutput *outputs; /* the last one is the default */
    size_t output_count;
    double certified;    /* the error that the file states; negative: none.  A claim: rasp_verify */
    RaspAnswers answers; /* a claim too */
    uint64_t answers_tried; /* inputs that the interpreter ran */
    RaspRule kernel;        /* what stands for softmax when it runs */
} RaspModelInfo;

RASP_API const RaspModelInfo *rasp_model_info(const RaspModel *model);
/* The document of docs/weights.md with `rank` in each head and `units` in each sublayer: all that
 * the file says of itself, as JSON; for rasp_free. */
RASP_API char *rasp_model_json(const RaspModel *model, RaspError *error);

/* The program that the model was compiled from or embeds: loaded from the model alone, no file
 * is read.  The model keeps it; NULL: it has none, or a broken one. */
RASP_API RaspProgram *rasp_model_program(RaspModel *model, RaspError *error);

/* === the transformer ====================================================================== */

typedef enum RaspPath { RASP_PATH_AUTO, RASP_PATH_DENSE, RASP_PATH_SPARSE } RaspPath;
RASP_API const char *rasp_path_name(int path); /* NULL behind the last */

typedef struct RaspEngineOptions {
    RaspRule rule;
    double parameter;   /* of a rule that takes one */
    double temperature; /* 0: 1 */
    RaspPath path;
    int threads; /* 0: one a processor */
} RaspEngineOptions;

/* A model made ready to run. */
typedef struct RaspEngine RaspEngine;
RASP_API RaspEngine *rasp_engine_new(const RaspModel *model, const RaspEngineOptions *options,
                                     const RaspConfig *config, RaspError *error);
RASP_API void rasp_engine_free(RaspEngine *engine);

/* What one output says at one position. */
typedef struct RaspReading {
    RaspAtom value;
    double number; /* the residual value that was read */
    double margin; /* how far the decision is from another, in units of the residual stream */
} RaspReading;

/* The forward pass on one input.  An input outside of what the model was compiled for is an
 * error, and so is one on which none of its outputs has an answer (RaspTarget.partial). */
typedef struct RaspForward RaspForward;
RASP_API RaspForward *rasp_forward(RaspEngine *engine, const RaspInput *input, RaspError *error);
/* The same of many inputs, in less time, those of one length together: forwards[k] is NULL where
 * the input cannot be run, and rasp_forward says why. */
RASP_API void rasp_forward_many(RaspEngine *engine, const RaspInput *inputs, size_t count,
                                RaspForward **forwards);
RASP_API void rasp_forward_free(RaspForward *forward);
RASP_API const RaspSequence *rasp_forward_input(const RaspForward *forward, bool *is_string);
/* The values of an output of the model, by its number; NULL: it has no answer on the input. */
RASP_API const RaspSequence *rasp_forward_sequence(const RaspForward *forward, size_t output);
RASP_API RaspReading rasp_forward_reading(const RaspForward *forward, size_t output,
                                          size_t position);

/* --- many inputs --- */

/* `count` inputs, one behind the other: their tokens, by number in RaspModelInfo.alphabet. */
typedef struct RaspBatch {
    const uint32_t *ids;
    const size_t *lengths; /* of each input, at least 1 */
    size_t count;
} RaspBatch;

enum { RASP_BY_NUMBER = -1, RASP_NO_ANSWER = -2 };

/* What the outputs say of all tokens: arrays of the caller's, row-major [outputs, tokens], flags
 * left aside; NULL: not wanted. */
typedef struct RaspBatchReadings {
    int32_t *values; /* which of RaspOutput.values; RASP_NO_ANSWER; or RASP_BY_NUMBER: the number,
                        of "whole" the whole number from values[0] to values[1] that is closest to
                        it, the lower on a tie */
    double *numbers, *margins; /* as of RaspReading */
} RaspBatchReadings;

/* rasp_forward on each, over the engine's threads.  Where no output has an answer is no error
 * here; any other is one of the whole batch, and its text names the input, from 0. */
RASP_API bool rasp_forward_batch(RaspEngine *engine, const RaspBatch *batch,
                                 const RaspBatchReadings *readings, RaspError *error);

/* --- a token at a time --- */

/* For models that never look ahead. */
typedef struct RaspStream RaspStream;
RASP_API RaspStream *rasp_stream_new(RaspEngine *engine, RaspError *error);
RASP_API void rasp_stream_free(RaspStream *stream);
/* readings: one an output, for the position just pushed.  After an error the stream is as it
 * was before. */
RASP_API bool rasp_stream_push(RaspStream *stream, RaspAtom token, RaspReading *readings,
                               RaspError *error);

/* --- a tap --- */

/* Called with everything that a forward pass computes, in its order; NULL: not wanted.  All are
 * in double and row-major; n is the input's length; row 0 and column 0 are the sink. */
typedef struct RaspTap {
    void *context;
    /* scores and weights: [n+1, n+1], row i how query i scores and weighs the keys, -inf where
     * it does not see one; result: [n+1, width], what the head adds to the residual stream. */
    void (*head)(void *context, size_t layer, size_t head, size_t n, const double *scores,
                 const double *weights, size_t width, const double *result);
    /* hidden: [n+1, units], after the ReLU. */
    void (*sublayer)(void *context, size_t layer, size_t sublayer, size_t n, size_t units,
                     const double *hidden);
    /* stream: [n+1, width]; sublayer -1: after the layer's heads, -2: after the embedding. */
    void (*residual)(void *context, size_t layer, int sublayer, size_t n, size_t width,
                     const double *stream);
} RaspTap;

/* The forward pass in plain loops and double, O(n²) memory, for looking at: what it computes
 * differs from rasp_forward by rounding alone. */
RASP_API RaspForward *rasp_trace(RaspEngine *engine, const RaspInput *input, const RaspTap *tap,
                                 RaspError *error);

#ifdef __cplusplus
}
#endif

#endif
