/* tally.h: how many of a row's keys each of many queries selects; and which queries matter.
 *
 * Key positions are of kinds; a query can or must select all keys of a kind, or not.  Positions in
 * their order are stretches of one kind, and over these a query has running totals, so that a row
 * is a few differences.  Of a list of queries one is beaten by another that can select whatever it
 * can: it never tells the most that a row selects; and so for the least.  Only those that are not
 * beaten are counted, usually one or two of as many as there are positions.
 */
#ifndef RASP_COMPILE_VALUES_TALLY_H
#define RASP_COMPILE_VALUES_TALLY_H

#include "compile/values/formula.h"
#include "compile/values/position_rows.h"

#include "base/arena.h"

/* A query at a position, by its number, and whether it then selects that position: a position's own
 * key is not just any of its kind. */
typedef struct Own {
    uint32_t query;
    Chance self;
} Own;

typedef enum Bound { AT_MOST, AT_LEAST } Bound;

/* What a query makes of keys of a kind. */
typedef Chance TallyChance(void *context, uint32_t kind, uint32_t query);

typedef struct Tally Tally;

Tally *tally_new(Arena *arena, uint32_t longest, TallyChance *chance, void *context);
/* The kinds of the positions 0 … count - 1, from now on. */
void tally_positions(Tally *tally, const uint32_t *kind, uint32_t count);
/* Puts those first that others do not beat at the bound (a few beaten ones may be among them), and
 * says how many they are; none of an empty list. */
uint32_t tally_best(Tally *tally, Own *list, uint32_t count, Bound bound);
/* So many of a row's keys, of which position i's own may be one, can or must be selected. */
uint32_t tally_count(Tally *tally, Own own, uint32_t i, const Stretch *row, uint32_t stretches,
                     Bound bound);
/* Chances looked at so far. */
double tally_work(const Tally *tally);

#endif
