/* Items 40 to 51: the weights that an oracle would choose, and the two gaps. Item 50 is an
 * experiment: group_experiments.c. */
#include "lab/experiments.h"
#include "lab/oracle.h"

static const Item items[] = {
    {40, "oracle selection is convex",
     "With the votes fixed, the loss of a next-token law is convex in the weights, so the best "
     "weights can be computed.",
     "essay §5",
     "Random votes of one to three heads: the gradient against central differences, the curvature "
     "along random directions against the variance of votes, and two solvers.",
     NULL, 2, oracle_convex},
    {41, "certificate of optimality",
     "The Frank–Wolfe gap at any weights bounds how far their loss is from the least one.",
     "essay §5; Jaggi, ICML 2013",
     "Descents stopped early and late; 500 other weights each, far and near, none of which may be "
     "below f − gap.",
     NULL, 1, oracle_certificate},
    {42, "more heads, more context",
     "With a null vote for every head the oracle's loss never rises with a head or a key more.",
     "essay §5", "Nested random cases, every number of heads and keys.", NULL, 8, oracle_heads},
    {43, "hull gap",
     "What no weights can repair is KL(p, q*), and it is 0 just when log p − l0 lies in the hull "
     "of "
     "the votes, up to a constant.",
     "essay §5",
     "The oracle's verdict against the hull test of item 37 on random laws and on laws that some "
     "weights reach; supports after Carathéodory.",
     "The hull gap has the model's law as second argument of KL: it is no hull of mixtures of "
     "probabilities. Mixing two sharp votes for different tokens as logits costs log(2 + (V−2) "
     "e^{−c/2}) − log 2.",
     3, oracle_hull_gap},
    {44, "selection error",
     "What weights lose against the oracle's is not negative and at most their own Frank–Wolfe "
     "gap.",
     "essay §5", "Random weights on random votes.", NULL, 1, oracle_selection},
    {45, "Bayes, oracle, model",
     "No oracle beats Bayes, and no model with the same votes beats the oracle.",
     "essay §5; grammar G2",
     "A grammar whose next-token law is known, its own tables as votes, at every position; the "
     "model "
     "is a previous-token head, exact at κ = 0.",
     NULL, 20, oracle_order},
    {46, "cheating oracle",
     "Weights chosen after the token came are better than those of any rule.", "essay §5",
     "Five rules of selection against it, position by position.",
     "It is a lower bound only, and an empty one for two heads or more on text: some token's vote "
     "direction can nearly always be put together.",
     10, oracle_cheat},
    {47, "bracket by a reference",
     "Where the true law is unknown, a believed one brackets: cheating oracle, oracle of the true "
     "law, oracle of the belief.",
     "lab §1.4",
     "A half-uniform belief about the grammar: realised and expected losses, and the identity f = "
     "H "
     "+ KL under the belief.",
     NULL, 5, oracle_bracket},
    {48, "copying has no gap in the limit",
     "Votes c e_{x_j} copy: the gap is log(1 + (V−1) e^−c), and with two equally likely tokens "
     "log(2 + (V−2) e^{−c/2}) − log 2.",
     "essay §5", "The solver's least loss against both closed forms.",
     "The gap is 0 only as the votes grow without limit.", 0.1, oracle_copying},
    {49, "sum of two numbers",
     "A head reads a mean, so one head misses the sum of two numbers by λ min²; two heads or a "
     "sublayer behind the mean do not.",
     "essay §5",
     "All pairs of numbers up to six: the solver's loss against closed forms, for one head, two "
     "heads, and a mean that is doubled.",
     "The gap belongs to the fixed value side, a readout linear in the numbers: with free votes −λ "
     "(y − 2x)² one head closes it.",
     0.2, oracle_sum},
    {50, "the guess: no gap with two heads",
     "With two or more heads the hull gap on text is near zero.", "essay §5",
     "Item 73 at a small size: one seed, 1,000 steps, 200 positions.",
     "The reference is not Bayes and the cheating oracle is empty for two heads or more; item 73 "
     "has "
     "the rule and its conditions.",
     15, experiment_guess},
    {51, "deeper models",
     "With all but the last attention layer fixed, the rows that enter it are votes and the oracle "
     "applies.",
     "essay §5",
     "Random attention-only stacks of one and two layers: votes against the stack's logits, oracle "
     "against the model, and a refusal when something bent stands behind the last attention.",
     NULL, 1, oracle_last_layer},
};

const ItemGroup group_oracle = {"oracle", "oracle selection and the two gaps", items,
                                sizeof items / sizeof *items};
