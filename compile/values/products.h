/* products.h: joint values as products, for domains of very many inputs.
 *
 * At a position of a context, sources are taken to have any combination of the values that each
 * of them can have there.  That is more than there are (two widths may never be 3 at once), and it
 * grows with the number of sources; but it does not grow with the number of inputs.  Where the
 * common sources of a request have too many combinations, those of its basis are taken: what the
 * basis's s-ops have to do with one another is then lost, which only makes sets larger.
 */
#ifndef RASP_COMPILE_VALUES_PRODUCTS_H
#define RASP_COMPILE_VALUES_PRODUCTS_H

#include "compile/values/values_private.h"

/* The sets of an elementwise s-op; those of its arguments are known. */
bool products_sets(Values *values, NodeId id, const NodeId *args, uint32_t arg_count, Entry *entry);

/* The sets of all s-ops of the request are known. */
bool products_rows(Values *values, const RowsRequest *request, Rows *rows);

#endif
