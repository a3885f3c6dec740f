/* Items 52 to 62: what depth, length and counting do to attention. */
#include "lab/predictions.h"

static const Item items[] = {
    {52, "averaging after averaging collapses",
     "A stack of averagings draws all rows together, at least as fast as the product of its "
     "Dobrushin "
     "coefficients.",
     "essay §6",
     "Random stacks with bounded scores: the coefficient of a product, the diameter of the rows "
     "and "
     "the bound 1 − e^−2B at every layer; long causal stacks.",
     "Products converge to rank one only if Σ (1 − δ) diverges: true for scores that are bounded, "
     "false "
     "for matrices that approach the identity.",
     2, predictions_smoothing},
    {53, "rank collapse without a skip",
     "Attention alone, without skip, drives a sequence to one row with a cubic rate: log r' → 3 "
     "log r.",
     "essay §6; arXiv:2103.03404",
     "The residual in split arithmetic, mean row and deviations apart, since plain doubles end at "
     "the "
     "third layer; one layer against the definition.",
     NULL, 0.5, predictions_rank},
    {54, "what a skip does",
     "With a skip X + α A X the rank is kept, and what differs between rows falls geometrically at "
     "most.",
     "essay §6",
     "Rank after each of twelve layers, the determinant of causal layers against Π (1 + α a_ii), "
     "the "
     "residual's share.",
     NULL, 1, predictions_skip},
    {55, "weight at a fixed gap",
     "A key that leads by a fixed gap has the weight e^g/(e^g + n − 1), which falls to 0 with the "
     "length.",
     "essay §6", "Softmax of all n scores up to a million against the closed form.", NULL, 0.5,
     predictions_gap},
    {56, "log n keeps the weight",
     "With scores times log n the weight is n^g/(n^g + n − 1): 1, one half or 0 in the limit as g "
     "is above "
     "1, 1 or below.",
     "essay §6; arXiv:2202.12172", "The same against the second closed form, and the three limits.",
     "For a deterministic gap. With random scores of the others the moment of exp(−gap) takes its "
     "place.",
     0.5, predictions_log_n},
    {57, "bandwidth of a dot product",
     "A dot-product head has the bandwidth √d/(‖q‖ ‖k‖): longer queries look more sharply.",
     "essay §6",
     "The head against unit queries and keys at that temperature; a query twice as long.", NULL,
     0.1, predictions_bandwidth},
    {58, "consistency needs a shrinking bandwidth",
     "A smoother of fixed bandwidth keeps an error however many points there are; with n^−1/5 the "
     "error "
     "falls like n^−4/5.",
     "essay §6",
     "Kernel smoothing in one dimension, n up to 16,384; the slope on logarithmic axes.",
     "On the inner 80 % of the design: near its ends the smoother has another bias.", 15,
     predictions_consistency},
    {59, "hard attention is the nearest neighbour",
     "Hard attention has no bias at an exact precedent and never averages noise away: variance σ², "
     "against σ²/m of a mean.",
     "essay §6", "Both kernels on m noisy precedents among other keys; the ratio of variances.",
     NULL, 2, predictions_neighbour},
    {60, "majority: averaging can, one key cannot",
     "One averaging head decides MAJORITY; a unique hard head, which reads one key, does not from "
     "length "
     "four on.",
     "essay §6; arXiv:2204.06618, 2210.02671",
     "A compiled program on all words; for the hard head the decision-list test, whose rules run "
     "out.",
     "The bound by FO(M) is for log-precision transformers; averaging hard attention has a bound "
     "of its "
     "own.",
     6, predictions_majority},
    {61, "parity in two layers, with a margin that vanishes",
     "Two layers of softmax decide PARITY exactly, with a margin of 2 tanh(c)/N² for even N.",
     "essay §6; arXiv:2202.12172",
     "The construction on all words of up to 14 letters against its closed form, and its "
     "cross-entropy "
     "with the length.",
     NULL, 0.5, predictions_parity},
    {62, "FIRST in two layers",
     "Two layers decide FIRST with the margin ½ e^c/(e^c + N − 1), and ½ N^c/(N^c + N − 1) with "
     "log n.",
     "essay §6; arXiv:2202.12172", "The construction against both closed forms.", NULL, 0.1,
     predictions_first},
};

const ItemGroup group_predictions = {"predictions", "depth, length and counting", items,
                                     sizeof items / sizeof *items};
