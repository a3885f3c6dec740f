/* slack.h: how far a linear form is from the s-op that it stands for.
 *
 * A form is exact algebra, the interpreter adds doubles: (x + 1) - x is 1 here and may be 0
 * there.  What the interpreter's rounding loses is found by error-free transformations of its
 * own operations, on all values that they can meet, or bounded by its size where those are
 * too many; it is kept as the form's slack, which the certificate counts like any other error.
 */
#ifndef RASP_COMPILE_LOWER_SLACK_H
#define RASP_COMPILE_LOWER_SLACK_H

#include "compile/lower/lower.h"

/* Whole numbers, whose sums and differences no double rounds? */
bool slack_whole(Lower *lower, NodeId a, NodeId b);
/* The most that fl(a + sign * b), the node's value, differs from the sum, over all values of the
 * s-ops a and b. */
double sum_slack(Lower *lower, NodeId a, NodeId b, double sign, NodeId node);

/* The largest absolute value of a number. */
double slack_size(Lower *lower, NodeId node);
/* The form's slack with what the errors of its factors can do. */
double slack_of_form(Lower *lower, Form form);
/* Is that far less than what separates values of the node?  Else a form must not stand for it. */
bool slack_fits(Lower *lower, NodeId node, double slack);
/* The slack that the node's form has or will have. */
double slack_expected(Lower *lower, NodeId node);
/* Can the sum or difference stand as the form of its arguments; and with what slack of its own? */
bool slack_folds(Lower *lower, NodeId node, double *slack);

#endif
