/* compare_private.h: what a comparison of two programs has found, as compare.c prints it and
 * compare_piece.c keeps it in pieces. */
#ifndef RASP_CLI_COMPARE_PRIVATE_H
#define RASP_CLI_COMPARE_PRIVATE_H

#include "cli/compare.h"
#include "cli/piece.h"

/* What a program gives on an input: values, or the text of its error. */
typedef struct Answer {
    const RaspAtom *values;
    size_t count;
    const char *failure; /* NULL: none */
} Answer;

typedef struct Difference {
    const RaspAtom *input;
    size_t length;
    uint64_t number; /* of the input, in the order of all */
    Answer answer[2];
} Difference;

typedef struct Findings {
    const char *name[2]; /* of the programs, as reports call them */
    RaspInputsInfo info;
    size_t compared, differ, both_fail;
    Difference *differences; /* the shortest ones, of one length the first; `room` at most */
    size_t kept, room;
    const Pieces *pieces; /* that they were joined from; NULL: none */
} Findings;

/* Its place among the differences, or none. */
void findings_keep(Findings *findings, const Difference *difference);
void findings_print(const Findings *findings, bool json);

/* As a piece: `domain` is the program whose settings say the inputs. */
void findings_print_piece(const Findings *findings, const Comparison *what, const Program *domain,
                          RaspStatus stopped, double seconds);

#endif
