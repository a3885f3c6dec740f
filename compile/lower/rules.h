/* rules.h: the rules that make features, and what they share.
 *
 * A rule returns true with a form, or false: with lower_error set it failed, without it does
 * not apply.
 */
#ifndef RASP_COMPILE_LOWER_RULES_H
#define RASP_COMPILE_LOWER_RULES_H

#include "compile/lower/context.h"
#include "compile/lower/cover.h"
#include "compile/values/sums.h"

/* --- functions of one variable (embed.c) ---------------------------------------------------- */

/* The function's value at each level of the variable; false when it is not a function of it.
 * Levels at which it has no value get 0 and clear *complete. */
bool function_vector(Lower *lower, NodeId variable, NodeId node, double **vector, bool *complete);
/* The same where both are functions of the cover's cut; the rows are kept. */
bool function_of_cover(Lower *lower, const Cover *cover, NodeId node, Rows *rows, double **vector,
                       bool *complete);

bool embed_token(Lower *lower, NodeId node, NodeId tokens, Form *form);
bool embed_position(Lower *lower, NodeId node, Form *form);

/* --- heads (attend.c) ----------------------------------------------------------------------- */

/* A component of a head over the selector; what it reads must be there a layer before.  `moves`:
 * all values that a row selects are equal. */
bool attend(Lower *lower, NodeId node, NodeId selector, HeadKind kind, bool moves, Form value,
            double fallback, Form *form);
bool feature_aggregate(Lower *lower, NodeId id, Form *form);
/* A function of one moved value, moved itself. */
bool feature_moved(Lower *lower, NodeId id, NodeId source, Form *form);
/* A function of a mean that is not always a number. */
bool feature_mixed(Lower *lower, NodeId id, NodeId source, Form *form);

/* --- scans (tables.c) ----------------------------------------------------------------------- */

/* The scan of this number, made if there is none; and one more output of it. */
ScanPlan *scan_of(Lower *lower, Cover cover);
Form add_scan_output(Lower *lower, ScanPlan *scan, TableOutput output);
bool feature_scan(Lower *lower, NodeId id, Form *form);

/* --- without a table ------------------------------------------------------------------------ */

/* A function of a width (rule_width.c). */
bool feature_width(Lower *lower, NodeId id, NodeId width, Form *form);
/* The function of a width over keys that are one s-op and, where that is the same, the position
 * (rule_lexicographic.c); `vector` by the width's levels. */
bool feature_lexicographic(Lower *lower, NodeId width, const double *vector, Form *form);
/* The function of a width of an order of keys that are alike where tokens are (rule_by_token.c). */
bool feature_by_token(Lower *lower, NodeId id, NodeId width, const double *vector, Form *form);
/* Is this 1/(1+w), as a counting head gives it, for a width w?  Else NODE_NONE. */
NodeId reciprocal_of(const Lower *lower, NodeId id);
/* A function of a mean that is one over a width (values_counted), of the width. */
bool feature_counted(Lower *lower, NodeId id, NodeId source, Form *form);
/* A sum whose mean has very many values (rule_sum.c). */
bool feature_whole_sum(Lower *lower, NodeId id, const WholeSum *sum, Form *form);
/* a % b, where b is taken off a few times at most (rule_remainder.c). */
bool feature_remainder(Lower *lower, NodeId id, Form *form);
/* A comparison of numbers that have very many values (rule_sign.c). */
bool feature_sign(Lower *lower, NodeId id, Form *form);

#endif
