/* set_trees.h: sets of numbers as trees of bits that share what they have in common.
 *
 * A leaf has the bits of 64 consecutive numbers, a node 16 trees of one height; 0 is the tree of
 * none, and each leaf and node is kept once:
 *
 *     height 2   numbers 0 … 16383     [ a  b  0  …  0 ]
 *     height 1           0 … 1023        a: [ x  x  y … ]   b: [ z  0 … ]
 *     height 0           0 … 63             x: a word of bits
 *
 * So equal trees have equal numbers, a set that another one lies within by construction costs a
 * path, and what two sets share is passed over by whoever compares them.  A set's tree is as low as
 * its greatest member allows.
 */
#ifndef RASP_COMPILE_VALUES_SET_TREES_H
#define RASP_COMPILE_VALUES_SET_TREES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SetTrees SetTrees;

typedef struct SetTree {
    uint32_t root, height;
} SetTree;

/* Members 64 * index … as bits. */
typedef struct SetWord {
    uint32_t index;
    uint64_t bits;
} SetWord;

SetTrees *set_trees_new(Arena *arena);

/* The tree and the members of `count` words, sorted by index, each index once. */
SetTree set_tree_add(SetTrees *trees, SetTree tree, const SetWord *word, size_t count);
/* The list is used up. */
SetTree set_tree_union(SetTrees *trees, SetTree *tree, size_t count);

uint32_t set_tree_count(const SetTrees *trees, SetTree tree);
/* Of a tree that has members. */
uint32_t set_tree_least(const SetTrees *trees, SetTree tree);
uint32_t set_tree_greatest(const SetTrees *trees, SetTree tree);
bool set_tree_contains(const SetTrees *trees, SetTree tree, uint32_t member);
/* Is every member of `a` one of `b`? */
bool set_tree_within(const SetTrees *trees, SetTree a, SetTree b);
/* So many members have both. */
uint32_t set_tree_common(const SetTrees *trees, SetTree a, SetTree b);
/* Those of `a` that `b` lacks, ascending; returns how many. */
uint32_t set_tree_minus(const SetTrees *trees, SetTree a, SetTree b, uint32_t *member);

#endif
