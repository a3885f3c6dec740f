#include "compile/values/set_trees.h"

#include "base/table.h"

#include <string.h>

enum { WORD = 64, FAN_BITS = 4, FAN = 1 << FAN_BITS };

typedef struct SetNode {
    uint32_t child[FAN];
    uint32_t count; /* members */
} SetNode;

struct SetTrees {
    Arena *arena;
    uint64_t *leaf;                      /* [0]: none */
    SetNode *node;                       /* [0]: none */
    size_t leaves, nodes;                /* that one included */
    size_t leaf_capacity, node_capacity; /* of blocks, released when they grow */
    Table leaf_table, node_table;        /* number - 1 */
    uint32_t *list;                      /* scratch of unions */
    size_t list_capacity;
};

static unsigned count_bits(uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (unsigned)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* Numbers below a tree of the height. */
static uint64_t room(uint32_t height) {
    return (uint64_t)WORD << FAN_BITS * height;
}

static uint32_t members(const SetTrees *t, uint32_t tree, uint32_t height) {
    return height ? t->node[tree].count : count_bits(t->leaf[tree]);
}

static bool is_full(const SetTrees *t, uint32_t tree, uint32_t height) {
    return height ? t->node[tree].count == room(height) : t->leaf[tree] == ~(uint64_t)0;
}

/* --- each once ---------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

static uint64_t hash_leaf(const void *leaves, uint32_t leaf) {
    return mix(0x9e3779b97f4a7c15u, ((const uint64_t *)leaves)[leaf + 1]);
}

static uint64_t hash_children(const uint32_t *child) {
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < FAN; k += 2) hash = mix(hash, child[k] | (uint64_t)child[k + 1] << 32);
    return hash;
}

static uint64_t hash_node(const void *nodes, uint32_t node) {
    return hash_children(((const SetNode *)nodes)[node + 1].child);
}

SetTrees *set_trees_new(Arena *arena) {
    SetTrees *t = ARENA_NEW(arena, SetTrees);
    t->arena = arena;
    t->leaf = arena_grow_block(arena, NULL, &t->leaf_capacity, 1, sizeof *t->leaf);
    t->node = arena_grow_block(arena, NULL, &t->node_capacity, 1, sizeof *t->node);
    t->leaf[t->leaves++] = 0;
    t->node[t->nodes++] = (SetNode){.count = 0};
    t->leaf_table = table_new(arena, 64);
    t->node_table = table_new(arena, 64);
    return t;
}

static uint32_t keep_leaf(SetTrees *t, uint64_t bits) {
    Table *table = &t->leaf_table;
    if (!bits) return 0;
    if (table_full(table, t->leaves - 1))
        table_grow(table, t->arena, t->leaves - 1, hash_leaf, t->leaf);
    size_t at = table_start(table, mix(0x9e3779b97f4a7c15u, bits));
    for (uint32_t k; (k = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at))
        if (t->leaf[k + 1] == bits) return k + 1;
    t->leaf =
        arena_grow_block(t->arena, t->leaf, &t->leaf_capacity, t->leaves + 1, sizeof *t->leaf);
    t->leaf[t->leaves] = bits;
    table_put(table, at, t->leaves - 1);
    return (uint32_t)t->leaves++;
}

static uint32_t keep_node(SetTrees *t, const uint32_t *child, uint32_t height) {
    Table *table = &t->node_table;
    uint32_t count = 0;
    for (int k = 0; k < FAN; k++) count += members(t, child[k], height - 1);
    if (!count) return 0;
    if (table_full(table, t->nodes - 1))
        table_grow(table, t->arena, t->nodes - 1, hash_node, t->node);
    size_t at = table_start(table, hash_children(child));
    for (uint32_t k; (k = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at))
        if (t->node[k + 1].count == count &&
            memcmp(t->node[k + 1].child, child, sizeof t->node->child) == 0)
            return k + 1;
    t->node = arena_grow_block(t->arena, t->node, &t->node_capacity, t->nodes + 1, sizeof *t->node);
    memcpy(t->node[t->nodes].child, child, sizeof t->node->child);
    t->node[t->nodes].count = count;
    table_put(table, at, t->nodes - 1);
    return (uint32_t)t->nodes++;
}

/* --- making ------------------------------------------------------------------------------- */

static SetTree raised(SetTrees *t, SetTree tree, uint32_t height) {
    for (; tree.height < height; tree.height++)
        tree.root = keep_node(t, (uint32_t[FAN]){tree.root}, tree.height + 1);
    return tree;
}

/* `first`: the index of the tree's first word. */
static uint32_t add_words(SetTrees *t, uint32_t tree, uint32_t height, uint64_t first,
                          const SetWord *word, size_t count) {
    if (height == 0) return keep_leaf(t, t->leaf[tree] | word->bits);
    if (is_full(t, tree, height)) return tree;
    uint32_t child[FAN];
    uint64_t words = room(height - 1) / WORD;
    memcpy(child, t->node[tree].child, sizeof child);
    for (size_t k = 0, next; k < count; k = next) {
        uint64_t slot = (word[k].index - first) / words, start = first + slot * words;
        for (next = k + 1; next < count && word[next].index - start < words;) next++;
        child[slot] = add_words(t, child[slot], height - 1, start, word + k, next - k);
    }
    return keep_node(t, child, height);
}

SetTree set_tree_add(SetTrees *trees, SetTree tree, const SetWord *word, size_t count) {
    if (count == 0) return tree;
    uint32_t height = tree.height;
    while ((word[count - 1].index + (uint64_t)1) * WORD > room(height)) height++;
    tree = raised(trees, tree, height);
    tree.root = add_words(trees, tree.root, height, 0, word, count);
    return tree;
}

/* Neighbours are often alike: what is listed twice in a row is dropped, and what is not there. */
static size_t distinct(const uint32_t *tree, size_t count, uint32_t slot, const SetNode *node,
                       uint32_t *kept) {
    size_t total = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t one = node ? node[tree[k]].child[slot] : tree[k];
        if (one && (total == 0 || kept[total - 1] != one)) kept[total++] = one;
    }
    return total;
}

/* The trees list[0 … count - 1]; what is behind them is free. */
static uint32_t unite(SetTrees *t, size_t from, size_t count, uint32_t height) {
    if (count <= 1) return count ? t->list[from] : 0;
    for (size_t k = 0; k < count; k++)
        if (is_full(t, t->list[from + k], height)) return t->list[from + k];
    if (height == 0) {
        uint64_t bits = 0;
        for (size_t k = 0; k < count; k++) bits |= t->leaf[t->list[from + k]];
        return keep_leaf(t, bits);
    }
    uint32_t child[FAN];
    for (uint32_t slot = 0; slot < FAN; slot++) {
        size_t kept = distinct(t->list + from, count, slot, t->node, t->list + from + count);
        child[slot] = unite(t, from + count, kept, height - 1);
    }
    return keep_node(t, child, height);
}

SetTree set_tree_union(SetTrees *trees, SetTree *tree, size_t count) {
    uint32_t height = 0;
    for (size_t k = 0; k < count; k++)
        if (tree[k].height > height) height = tree[k].height;
    trees->list = arena_grow_block(trees->arena, trees->list, &trees->list_capacity,
                                   count * (height + 1), sizeof *trees->list);
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t root = raised(trees, tree[k], height).root;
        if (root && (kept == 0 || trees->list[kept - 1] != root)) trees->list[kept++] = root;
    }
    return (SetTree){unite(trees, 0, kept, height), height};
}

/* --- asking ------------------------------------------------------------------------------- */

uint32_t set_tree_count(const SetTrees *trees, SetTree tree) {
    return members(trees, tree.root, tree.height);
}

uint32_t set_tree_least(const SetTrees *trees, SetTree tree) {
    uint32_t member = 0, slot;
    for (; tree.height > 0; tree.root = trees->node[tree.root].child[slot]) {
        for (slot = 0; !trees->node[tree.root].child[slot];) slot++;
        member += slot * (uint32_t)room(--tree.height);
    }
    return member + (uint32_t)__builtin_ctzll(trees->leaf[tree.root]);
}

uint32_t set_tree_greatest(const SetTrees *trees, SetTree tree) {
    uint32_t member = 0, slot;
    for (; tree.height > 0; tree.root = trees->node[tree.root].child[slot]) {
        for (slot = FAN - 1; !trees->node[tree.root].child[slot];) slot--;
        member += slot * (uint32_t)room(--tree.height);
    }
    return member + WORD - 1 - (uint32_t)__builtin_clzll(trees->leaf[tree.root]);
}

bool set_tree_contains(const SetTrees *trees, SetTree tree, uint32_t member) {
    uint32_t root = tree.root;
    if (member >= room(tree.height)) return false;
    for (uint32_t height = tree.height; height > 0; height--)
        root = trees->node[root].child[member / room(height - 1) % FAN];
    return trees->leaf[root] >> member % WORD & 1;
}

/* What the tree has below the room of a lower one. */
static uint32_t lowered(const SetTrees *t, SetTree tree, uint32_t height) {
    for (; tree.height > height; tree.height--) tree.root = t->node[tree.root].child[0];
    return tree.root;
}

static bool is_within(const SetTrees *t, uint32_t a, uint32_t b, uint32_t height) {
    if (a == b || a == 0) return true;
    if (b == 0) return false;
    if (height == 0) return (t->leaf[a] & ~t->leaf[b]) == 0;
    if (t->node[a].count > t->node[b].count) return false;
    if (is_full(t, b, height)) return true;
    for (int k = 0; k < FAN; k++)
        if (!is_within(t, t->node[a].child[k], t->node[b].child[k], height - 1)) return false;
    return true;
}

bool set_tree_within(const SetTrees *trees, SetTree a, SetTree b) {
    return a.root == 0 || (a.height <= b.height &&
                           is_within(trees, a.root, lowered(trees, b, a.height), a.height));
}

static uint32_t common(const SetTrees *t, uint32_t a, uint32_t b, uint32_t height) {
    if (a == 0 || b == 0) return 0;
    if (a == b || is_full(t, b, height)) return members(t, a, height);
    if (is_full(t, a, height)) return members(t, b, height);
    if (height == 0) return count_bits(t->leaf[a] & t->leaf[b]);
    uint32_t count = 0;
    for (int k = 0; k < FAN; k++)
        count += common(t, t->node[a].child[k], t->node[b].child[k], height - 1);
    return count;
}

uint32_t set_tree_common(const SetTrees *trees, SetTree a, SetTree b) {
    uint32_t height = a.height < b.height ? a.height : b.height;
    return common(trees, lowered(trees, a, height), lowered(trees, b, height), height);
}

static uint32_t *minus(const SetTrees *t, SetTree a, SetTree b, uint32_t first, uint32_t *member) {
    if (a.root == 0 || (a.root == b.root && a.height == b.height)) return member;
    if (a.height == 0) {
        for (uint64_t bits = t->leaf[a.root] & ~t->leaf[b.root]; bits; bits &= bits - 1)
            *member++ = first + (uint32_t)__builtin_ctzll(bits);
        return member;
    }
    for (uint32_t k = 0; k < FAN; k++) {
        SetTree one = {t->node[a.root].child[k], a.height - 1}, other = {0, a.height - 1};
        if (b.height == a.height)
            other.root = t->node[b.root].child[k];
        else if (k == 0)
            other = b;
        if (one.root) member = minus(t, one, other, first + k * (uint32_t)room(one.height), member);
    }
    return member;
}

uint32_t set_tree_minus(const SetTrees *trees, SetTree a, SetTree b, uint32_t *member) {
    if (b.height > a.height) b = (SetTree){lowered(trees, b, a.height), a.height};
    return (uint32_t)(minus(trees, a, b, 0, member) - member);
}
