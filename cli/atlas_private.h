/* atlas_private.h: what the files of the atlas share.
 *
 * A job is kept in three files of the folder, whose names begin with ROW.CLASS:
 *
 *     .txt     a line with what was asked, by which a later run knows that it is the same; a line
 *              with the table's cells; the report.  Written last, so that it stands for all three
 *     .lines   JSON lines
 *     .json    the certificate, verified; none if there is nothing to certify
 */
#ifndef RASP_CLI_ATLAS_PRIVATE_H
#define RASP_CLI_ATLAS_PRIVATE_H

#include "cli/express_session.h"
#include "cli/piece.h"

#include <sys/types.h>

typedef struct AtlasRow {
    const char *name;
    const char *program;               /* a path, or NULL: */
    const char *alphabet, *expression; /* of a task, whose label is that of the last position */
    uint32_t longest;
} AtlasRow;

typedef struct AtlasJob {
    const AtlasRow *row;
    const Query *query;
    const char *base; /* FOLDER/ROW.CLASS */
    const char *asked;
    pid_t process; /* 0: none */
    bool done;
    bool foreign;             /* another piece's */
    const char *text, *lines; /* from a piece: what the files hold; NULL: the files do */
} AtlasJob;

typedef struct Atlas {
    Arena *arena;
    ExpressArguments arguments;           /* classes and limits of every row */
    const char *classes[EXPRESS_CLASSES]; /* as texts */
    unsigned class_count;
    Shard shard;
    const char *lack; /* of what was joined from pieces; NULL: nothing */
    const char *folder;
    bool kept; /* the folder stays */
    AtlasRow *rows;
    size_t row_count, room;
    AtlasJob *jobs; /* [row][class] */
    size_t job_count, own, running, finished, failed;
} Atlas;

/* Names its files, and sees whether it is done. */
void atlas_job_prepare(const Atlas *atlas, AtlasJob *job);
/* The job, in a process of its own. */
_Noreturn void atlas_job_run(const Atlas *atlas, const AtlasJob *job);
/* What it said before it ended with that status. */
void atlas_job_blame(const AtlasJob *job, int status);
/* Removes its files. */
void atlas_job_drop(const AtlasJob *job);

/* One of a job's files, or what a piece has of it; NULL: there is none. */
FILE *atlas_job_open(const AtlasJob *job, const char *suffix);

void atlas_print_lines(const AtlasJob *job);
void atlas_document(const Atlas *atlas, FILE *out);
/* What this piece has, or, when stopped, has until then. */
void atlas_print_piece(const Atlas *atlas, RaspStatus stopped, double seconds);
/* By it programs are known to be the same. */
uint64_t atlas_file_hash(const char *path);

#endif
