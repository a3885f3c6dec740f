/* express_atlas.h: `rasp express --atlas`: every bundled program and standard task, every class. */
#ifndef RASP_CLI_EXPRESS_ATLAS_H
#define RASP_CLI_EXPRESS_ATLAS_H

#include "cli/express_session.h"

/* Prints the document (or JSON lines), or writes it to arguments->output.  Each verdict and its
 * certificate, verified, are kept in `folder`, and what is there already is not done again; NULL:
 * nothing is kept.  Of a shard (of > 0) its verdicts are printed, as a piece for `rasp merge`, when
 * stopped what there is of them.  An exit status, after a message if not EXIT_FINE. */
int express_atlas(const ExpressArguments *arguments, const char *folder, Shard shard);

#endif
