/* Item 63: the induction head: two layers do it, one cannot. */
#include "lab/learning.h"

#include "lab/programs.h"
#include "lab/spelling.h"

#include <stdint.h>
#include <string.h>

enum { LETTERS = 3, LONGEST = 7 };

/* What came after the latest earlier occurrence of the letter at i; '-': there is none. */
static char induced(const char *word, size_t i) {
    for (size_t j = i; j-- > 0;)
        if (word[j] == word[i]) return word[j + 1];
    return '-';
}

/* --- two layers ------------------------------------------------------------------------------- */

/* Layer 1 looks back one token and counts occurrences so far; layer 2 goes to the key that is the
 * occurrence before and copies what follows it. As in programs/induction. */
static const char program[] =
    "next = shift(tokens, -1, \"-\");\n"
    "nth = selector_width(select(tokens, tokens, ==) and select(indices, indices, <=));\n"
    "latest = select(tokens, tokens, ==) and select(nth, nth - 1, ==);\n"
    "induction = aggregate(latest, next, \"-\");\n";

static size_t wrong_positions(RaspEngine *engine, const char *word) {
    RaspError error;
    size_t n = strlen(word), wrong = 0;
    RaspInput input = {.text = word, .length = n};
    RaspForward *f = rasp_forward(engine, &input, &error);
    const RaspSequence *out = f ? rasp_forward_sequence(f, 0) : NULL;
    if (!out) wrong = n;
    for (size_t i = 0; i < n && out; i++) {
        RaspAtom atom = rasp_sequence_at(out, i);
        wrong += atom.kind != RASP_STRING || atom.as.s.length != 1 ||
                 atom.as.s.text[0] != induced(word, i);
    }
    rasp_forward_free(f);
    return wrong;
}

/* Every word of up to `longest` of these letters, as the model says it. */
static size_t count_wrong(Lab *lab, RaspEngine *engine, const char *letters, size_t longest,
                          size_t *words) {
    size_t wrong = 0;
    char word[LONGEST + 1];
    for (size_t n = 1; n <= longest; n++)
        for (size_t code = 0; code < spell_count("abc", n); code++) {
            if (code % 64 == 0) lab_poll(lab);
            spell(letters, code, n, word);
            wrong += wrong_positions(engine, word);
            ++*words;
        }
    return wrong;
}

static RaspEngine *two_layers(Lab *lab, Page *page) {
    LabProgram p;
    RaspError error;
    if (!lab_compile(lab, page, program, "induction", "abcde", LONGEST, &p)) return NULL;
    const RaspLayers *layers = rasp_program_layers(p.program, &p.sop, &error);
    RaspEngine *engine = lab_engine(lab, page, &p, RASP_SOFTMAX, 1);
    if (!engine) return NULL;
    size_t words = 0, renamed = 0, longest = lab->quick ? 5 : LONGEST;
    size_t wrong = count_wrong(lab, engine, "abc", longest, &words);
    check_none(page,
               arena_format(page->arena, "two layers: wrong positions in %zu words, n ≤ %zu", words,
                            longest),
               wrong);
    wrong = count_wrong(lab, engine, "dea", longest - 2, &renamed);
    check_none(page,
               arena_format(page->arena, "the same with letters renamed: in %zu words", renamed),
               wrong);
    check_near(page, IDENTITY, "layers of attention that the program takes",
               layers ? layers->count : 0, 2, 0);
    return engine;
}

/* --- one layer --------------------------------------------------------------------------------
 *
 * All selectors of the form a, a and b, a or b, where a and b are true, or compare the key's letter
 * with the query's or a constant, or the key's index with the query's less 2 to plus 1. What any
 * heads with them can know of a word, by averages or widths, is how many of the keys selected are
 * each letter. Two words with all of these numbers and the last letter in common are one and the
 * same to every program of one layer with such selectors, however many heads and whatever table. */

enum { OPS = 6, ATOMS = 1 + OPS * (1 + LETTERS + 4 + LONGEST) };

static bool compare(int op, int a, int b) {
    const bool results[OPS] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return results[op];
}

/* The keys that each atom selects, bit j for key j, the query being the last one. With `absolute`,
 * comparisons of the key's index with constants too. */
static size_t atoms_of(const char *word, size_t n, bool absolute, unsigned *atoms) {
    size_t count = 1;
    unsigned all = (1u << n) - 1;
    atoms[0] = all;
    memset(atoms + 1, 0, (ATOMS - 1) * sizeof *atoms);
    for (int op = 0; op < OPS; op++) {
        size_t at = count;
        for (size_t j = 0; j < n; j++) {
            unsigned bit = 1u << j;
            int key = word[j], here = (int)j, query = (int)n - 1;
            at = count;
            if (compare(op, key, word[n - 1])) atoms[at] |= bit;
            at++;
            for (int c = 0; c < LETTERS; c++, at++)
                if (compare(op, key, '0' + c)) atoms[at] |= bit;
            for (int delta = -2; delta <= 1; delta++, at++)
                if (compare(op, here, query + delta)) atoms[at] |= bit;
            for (int c = 0; absolute && c < LONGEST; c++, at++)
                if (compare(op, here, c)) atoms[at] |= bit;
        }
        count = at;
    }
    return count;
}

/* How many keys of each letter every selector has: what is known of the word. */
static size_t knowledge(const char *word, size_t n, bool absolute, unsigned char *known) {
    unsigned atoms[ATOMS], letter[LETTERS] = {0};
    size_t count = atoms_of(word, n, absolute, atoms), selectors = 0;
    for (size_t j = 0; j < n; j++) letter[word[j] - '0'] |= 1u << j;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a; b < count; b++)
            for (int both = 0; both < (a == b ? 1 : 2); both++, selectors++) {
                unsigned keys = both ? atoms[a] & atoms[b] : atoms[a] | atoms[b];
                for (int c = 0; c < LETTERS; c++)
                    known[selectors * LETTERS + (size_t)c] =
                        (unsigned char)__builtin_popcount(keys & letter[c]);
            }
    return selectors;
}

enum { KNOWN = ATOMS * ATOMS * LETTERS };

/* Selectors that tell two words of one length apart; `of`: how many there are. */
static size_t telling(Lab *lab, const char *a, const char *b, size_t *of) {
    unsigned char *known[2] = {ARENA_ARRAY(lab->arena, KNOWN, unsigned char),
                               ARENA_ARRAY(lab->arena, KNOWN, unsigned char)};
    size_t count = 0;
    knowledge(a, strlen(a), false, known[0]);
    *of = knowledge(b, strlen(b), false, known[1]);
    for (size_t s = 0; s < *of; s++)
        count += memcmp(known[0] + s * LETTERS, known[1] + s * LETTERS, LETTERS) != 0;
    return count;
}

/* Pairs of words of n letters with the same last letter and different answers, and those of them
 * that no selector tells apart; the first of these is kept. */
typedef struct Pairs {
    size_t all, same;
    char first[2][LONGEST + 1];
} Pairs;

static Pairs find_pairs(Lab *lab, size_t n, bool absolute) {
    Pairs pairs = {.all = 0};
    Arena *scratch = arena_child(lab->arena);
    size_t words = spell_count("abc", n), length = 0;
    unsigned char *known = NULL, *one = ARENA_ARRAY(scratch, KNOWN, unsigned char);
    char a[LONGEST + 1], b[LONGEST + 1];
    for (size_t w = 0; w < words; w++) {
        lab_poll(lab);
        spell("012", w, n, a);
        length = knowledge(a, n, absolute, one) * LETTERS;
        if (!known) known = ARENA_ARRAY(scratch, words * length, unsigned char);
        memcpy(known + w * length, one, length);
    }
    for (size_t w = 0; w < words; w++)
        for (size_t v = 0; v < w; v++) {
            spell("012", w, n, a);
            spell("012", v, n, b);
            if (a[n - 1] != b[n - 1] || induced(a, n - 1) == induced(b, n - 1)) continue;
            pairs.all++;
            if (memcmp(known + w * length, known + v * length, length) != 0) continue;
            if (pairs.same++ > 0) continue;
            memcpy(pairs.first[0], a, sizeof a);
            memcpy(pairs.first[1], b, sizeof b);
        }
    arena_free(scratch);
    return pairs;
}

/* What the model says at the last letter; letters as digits here, a to c there. */
static const char *said(Page *page, RaspEngine *engine, const char *digits) {
    char word[LONGEST + 1] = "";
    RaspError error;
    size_t n = strlen(digits);
    for (size_t i = 0; i < n; i++) word[i] = (char)(digits[i] - '0' + 'a');
    RaspInput input = {.text = word, .length = n};
    RaspForward *f = rasp_forward(engine, &input, &error);
    char letter = '?';
    if (f) letter = rasp_sequence_at(rasp_forward_sequence(f, 0), n - 1).as.s.text[0];
    rasp_forward_free(f);
    return arena_format(page->arena, "%c", letter >= 'a' ? letter - 'a' + '0' : letter);
}

static void show_witness(Lab *lab, Page *page, RaspEngine *engine, const char *const pair[2]) {
    size_t of;
    PageTable *table = page_table(page, "two words that are one to a single layer",
                                  (const char *const[]){"word", "answer", "two layers say", NULL});
    for (int k = 0; k < 2; k++) {
        char answer = induced(pair[k], strlen(pair[k]) - 1);
        table_text(table, arena_format(page->arena, "\"%s\"", pair[k]));
        table_text(table, arena_format(page->arena, "\"%c\"", answer));
        table_text(table, arena_format(page->arena, "\"%s\"", said(page, engine, pair[k])));
    }
    size_t apart = telling(lab, pair[0], pair[1], &of);
    check_none(page,
               arena_format(page->arena, "of %zu selectors, those that tell the pair apart", of),
               apart);
    check_least(page, IDENTITY, "selectors that tell apart two words that are no such pair",
                (double)telling(lab, pair[0], "02101", &of), 1);
}

void learning_induction(Lab *lab, Page *page) {
    static const char *const pair[2] = {"10201", "01201"};
    RaspEngine *engine = two_layers(lab, page);
    if (!engine) return;
    size_t longest = lab->quick ? 5 : 6, shortest = 0, left = 0;
    PageTable *table = page_table(page, "pairs of words with one last letter and two answers",
                                  (const char *const[]){"n", "pairs", "one to any single layer",
                                                        "the first of them",
                                                        "the same, with position constants", NULL});
    for (size_t n = 2; n <= longest; n++) {
        Pairs relative = find_pairs(lab, n, false), absolute = find_pairs(lab, n, true);
        if (relative.same && !shortest) shortest = n;
        left += absolute.same;
        table_count(table, n);
        table_count(table, relative.all);
        table_count(table, relative.same);
        table_text(table, relative.same ? arena_format(page->arena, "%s / %s", relative.first[0],
                                                       relative.first[1])
                                        : "none");
        table_count(table, absolute.same);
    }
    check_near(page, IDENTITY, "length of the shortest such pair", (double)shortest, 5, 0);
    check_none(page, "pairs left when positions may be compared with constants", left);
    show_witness(lab, page, engine, pair);
    page_note(page,
              "One layer: selectors that are a comparison of letters, or of indices up to a shift "
              "of 2, or two of these with and/or; any number of heads, any table. The class must "
              "be named: with constants for positions one layer can tell all words of a fixed "
              "length apart, by a table of them.");
}
