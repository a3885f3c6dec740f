/* check_piece.h: `rasp check --shard K/N` and `rasp merge`: a check in pieces. */
#ifndef RASP_CLI_CHECK_PIECE_H
#define RASP_CLI_CHECK_PIECE_H

#include "cli/check_report.h"

/* A piece's report, on standard output; `shard` is that of its options. */
void check_print_piece(const CheckView *view, const RaspCheckOptions *options);
/* An exit status; of a piece without inputs, too. */
int check_piece_status(const RaspCheckReport *report);

#endif
