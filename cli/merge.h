/* merge.h: pieces of each kind joined into the report of one machine, as text or JSON.  An exit
 * status: that of the whole run; EXIT_FAILED while something is missing. */
#ifndef RASP_CLI_MERGE_H
#define RASP_CLI_MERGE_H

#include "cli/piece.h"

typedef struct MergeOptions {
    bool json;
    const char *output; /* of an atlas; NULL: standard output */
} MergeOptions;

typedef int Merge(const Pieces *pieces, const MergeOptions *options);
Merge merge_check, merge_against, merge_atlas, merge_tally;

#endif
