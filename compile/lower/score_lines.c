#include "compile/lower/score_lines.h"

#include "base/table.h"
#include "compile/values/formula.h"

#include <string.h>

enum { FREE = CELL_FREE };

/* --- where all is bound: equal lines ------------------------------------------------------ */

typedef struct Leaders {
    const unsigned char *entry;
    const uint32_t *leader;
    uint32_t length;
} Leaders;

static uint64_t hash_line(const unsigned char *line, uint32_t length) {
    uint64_t hash = length;
    for (uint32_t from = 0; from < length; from += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, line + from, length - from < sizeof word ? length - from : sizeof word);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

static uint64_t hash_leader(const void *leaders, uint32_t class) {
    const Leaders *l = leaders;
    return hash_line(l->entry + (size_t)l->leader[class] * l->length, l->length);
}

static uint32_t join_equal(const unsigned char *entry, uint32_t lines, uint32_t length,
                           uint32_t *class, uint32_t *leader, Arena *arena) {
    Arena *scratch = arena_child(arena);
    Leaders leaders = {entry, leader, length};
    Table table = table_new(scratch, lines);
    uint32_t classes = 0;
    for (uint32_t x = 0; x < lines; x++) {
        const unsigned char *line = entry + (size_t)x * length;
        if (table_full(&table, classes))
            table_grow(&table, scratch, classes, hash_leader, &leaders);
        size_t at = table_start(&table, hash_line(line, length));
        uint32_t c;
        while ((c = table_entry(&table, at)) != TABLE_NONE &&
               memcmp(entry + (size_t)leader[c] * length, line, length) != 0)
            at = table_next(&table, at);
        if (c == TABLE_NONE) {
            c = classes;
            leader[classes] = x;
            table_put(&table, at, classes++);
        }
        class[x] = c;
    }
    arena_free(scratch);
    return classes;
}

/* --- elsewhere: line by line -------------------------------------------------------------- */

/* Of 0, 1 and FREE only 0 and 1 differ in the last bit alone; a block at a time, without a branch
 * an entry. */
static bool lines_agree(const unsigned char *a, const unsigned char *b, uint32_t length) {
    enum { BLOCK = 64 };
    for (uint32_t from = 0; from < length; from += BLOCK) {
        uint32_t to = length - from < BLOCK ? length : from + BLOCK;
        unsigned char differ = 0;
        for (uint32_t y = from; y < to; y++) differ |= (unsigned char)((a[y] ^ b[y]) == 1);
        if (differ) return false;
    }
    return true;
}

static uint32_t join_agreeing(unsigned char *entry, uint32_t lines, uint32_t length,
                              uint32_t *class, uint32_t *leader) {
    uint32_t classes = 0;
    for (uint32_t x = 0; x < lines; x++) {
        const unsigned char *line = entry + (size_t)x * length;
        uint32_t c = 0;
        while (c < classes && !lines_agree(entry + (size_t)leader[c] * length, line, length)) c++;
        if (c == classes) leader[classes++] = x;
        unsigned char *first = entry + (size_t)leader[c] * length;
        for (uint32_t y = 0; y < length; y++)
            if (first[y] == FREE) first[y] = line[y];
        class[x] = c;
    }
    return classes;
}

uint32_t join_lines(unsigned char *entry, uint32_t lines, uint32_t length, uint32_t *class,
                    uint32_t *leader, Arena *arena) {
    bool bound = !memchr(entry, FREE, (size_t)lines * length);
    return bound ? join_equal(entry, lines, length, class, leader, arena)
                 : join_agreeing(entry, lines, length, class, leader);
}
