/* piece.h: the K-th of N pieces of a run as JSON, and what `rasp merge` reads: docs/cluster.md.
 *
 *     Json j = {.out = stdout};
 *     piece_begin(&j, &head);       {"piece": "check", "rasp": …, "shard": 2, "of": 7, …, "run": {
 *     json_…                        what was asked, key by key: by it pieces of one run are known
 *     piece_result(&j);             }, "result": {
 *     json_…                        what was found, so that results of all pieces add up
 *     piece_end(&j);                }, "warnings": […]}
 */
#ifndef RASP_CLI_PIECE_H
#define RASP_CLI_PIECE_H

#include "api/rasp.h"
#include "base/shard.h"
#include "cli/json.h"

#include <jansson.h>

typedef struct PieceHead {
    const char *kind;
    Shard shard;
    RaspStatus stopped; /* RASP_OK: the piece is whole */
    size_t done;        /* of its items: inputs, verdicts, programs */
    double seconds;
} PieceHead;

void piece_begin(Json *json, const PieceHead *head);
void piece_result(Json *json);
void piece_end(Json *json);
/* The exit status of a piece in which nothing was wrong. */
int piece_status(RaspStatus stopped);

/* --- pieces again ----------------------------------------------------------------------- */

typedef struct Piece {
    const char *path;
    json_t *root; /* NULL: it is missing */
} Piece;

typedef struct Pieces {
    const char *kind;
    json_t *run;
    Piece *piece; /* [of] */
    uint32_t of;
    double seconds;   /* all of them */
    const char *lack; /* what is missing and what was stopped, for people; NULL: it is whole */
} Pieces;

/* Reads the files, of which each holds pieces one after the other ("-": standard input), in any
 * order and some perhaps twice.  An exit status, after a message: they are of one run, and at
 * least one is there. */
int pieces_read(Pieces *pieces, char *const *paths, size_t count);
void pieces_free(Pieces *pieces);

/* The k-th piece's result; NULL: it is missing. */
const json_t *piece_found(const Pieces *pieces, uint32_t k);
bool piece_stopped(const Pieces *pieces, uint32_t k);

/* "missing": […], "stopped": […], numbers of pieces; nothing if all is there. */
void pieces_json_lack(const Pieces *pieces, Json *json);
/* A note on standard error, where the report has no place for it. */
void pieces_note_lack(const Pieces *pieces);
/* The warnings of the pieces, each once: for the JSON of the whole, or to standard error. */
void pieces_warn(const Pieces *pieces);

/* Members of objects; what is not there is 0, "". */
double piece_number(const json_t *object, const char *key, double otherwise);
size_t piece_count(const json_t *object, const char *key);
const char *piece_text(const json_t *object, const char *key);
/* A seed, which may be beyond the integers of readers of JSON, as a text. */
void piece_put_seed(Json *json, uint64_t seed);
uint64_t piece_seed(const json_t *run);
/* Values, written so that they come back as the same; they live with the command. */
void piece_atoms(Json *json, const char *key, const RaspAtom *atoms, size_t count);
const RaspAtom *piece_read_atoms(const json_t *list, size_t *count);

#endif
