#include "cli/express_theory.h"

#include <stdio.h>

typedef struct Result {
    const char *layers, *can, *cannot, *source; /* arXiv numbers */
} Result;

static const Result results[] = {
    {"unique hard attention, any depth, unmasked, arbitrary scores",
     "within AC0; all of FO with unary numerical predicates, so all regular languages in AC0",
     "PARITY, MAJORITY, Dyck-1 (not in AC0); also not all of AC0", "2204.06618, 2310.03817"},
    {"masked unique hard attention, strict masks, no positions, left and right ties",
     "exactly the star-free languages = LTL = FO[<]", "regular languages that are not star-free",
     "2310.13897"},
    {"leftmost unique hard attention alone, finite precision",
     "a weaker fragment of LTL (the past 'once'); equals fixed-precision soft attention",
     "operators such as 'the token before'", "2503.14615"},
    {"averaging hard attention", "MAJORITY, Dyck-1; FO(unary) with counting terms",
     "what is outside TC0", "2204.06618, 2310.03817, 2106.16213"},
    {"log-precision softmax", "within FO(M) (majority quantifiers), uniform TC0",
     "NC1-complete problems, if TC0 is not NC1", "2210.02671"},
    {"future-masked softmax, fixed precision outside attention",
     "C-RASP, depth preserved; a strict hierarchy of depths",
     "for each depth k languages of alternating blocks that need k+1", "2404.04393, 2506.16055"},
    {"soft attention simulating hard",
     "with a temperature that depends on the least gap, or unbounded position codes", NULL,
     "2412.09925"},
    {"softmax and PARITY", "two layers (with the code i/n); four without impractical features",
     "one layer with ReLU of fixed size behind it; heads x degree behind it = Omega(n)",
     "2202.12172, 2602.05896, 2605.12171"},
    {"softmax with bounded scores", "one changed input moves the output by O(1/n)",
     "confident PARITY or FIRST without log n or layer norm", "1906.06755, 2202.12172"},
    {"one layer, h heads of width m and p bits: induction heads",
     "two layers: h, m = O(1), p = O(log n)", "one layer: h m p = Omega(n), by INDEX",
     "2408.14332"},
    {"one layer: composing functions", NULL, "fails when H(d+1)p < n log n, in order",
     "2402.08164"},
    {"one layer: bounded Dyck, equality, disjointness",
     "looking up an index in logarithmic width; two layers of logarithmic size do equality",
     "linear size for Dyck-(2,2) and equality", "2406.09347"},
    {"one layer: evaluating f(i)", "in concise size for some encodings of the input",
     "not when arguments and values stand at different positions (two layers can)", "2503.22076"},
    {"triple detection, sparse averaging", "pairs are easy; averages of q with width about q log n",
     "triples: linear size in one layer", "2306.02896"},
    {"constant depth L", "L+1 layers of polylogarithmic size",
     "composing L steps needs width n^Omega(1) in L layers, unconditionally", "2412.02975"},
};

void express_theory(void) {
    puts("What is proved for all lengths (an overview: arXiv 2311.00208).  'rasp express' decides "
         "bounded\nlengths, where tables are free; its verdicts are finite shadows of these.\n");
    for (size_t k = 0; k < sizeof results / sizeof *results; k++) {
        const Result *r = &results[k];
        printf("%s\n", r->layers);
        if (r->can) printf("  can     %s\n", r->can);
        if (r->cannot) printf("  cannot  %s\n", r->cannot);
        printf("  source  arXiv %s\n\n", r->source);
    }
    puts("In C-RASP one layer sees the counts of letters before it and its own letter, so \"()()\" "
         "and\n\")(()\" look the same to it: Dyck-1 needs depth 2 there.");
}
