/* ways.h: which way values are found (values.h): products of sets, or runs of all inputs.
 *
 * Running costs about a step for each pair of positions of each input, whatever the program.  So
 *
 *     pairs         way
 *     to 2^18       every input is run: some milliseconds
 *     to 2^25       products, with as many combinations as half the pairs; every input is run if
 *                   that is not enough or the program is refused, and to 2^23 also if products
 *                   do not show an answer everywhere: as much as a tenth of a second
 *     more          products
 *
 * Counted, not timed: any machine decides alike, and `rasp verify` as the compiler did.
 */
#ifndef RASP_COMPILE_VALUES_WAYS_H
#define RASP_COMPILE_VALUES_WAYS_H

#include "compile/values/domain.h"

typedef enum ValuesWay {
    VALUES_BY_DOMAIN, /* by the table above; the others are for tests */
    VALUES_PRODUCTS,
    VALUES_PRODUCTS_FIRST,
    VALUES_RUN,
} ValuesWay;

ValuesWay values_way(const Domain *domain);
/* Is an answer everywhere that products do not show worth running every input? */
bool values_way_shows(const Domain *domain);
/* Combinations that products may look at before every input is run. */
double values_way_work(const Domain *domain);

#endif
