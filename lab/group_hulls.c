/* Items 35 to 39: where outputs of heads can lie. */
#include "lab/hulls.h"

static const Item items[] = {
    {35, "a head's output is a mean",
     "The output of a head whose weights are a probability lies in the hull of its values.",
     "essay §4",
     "Every normalised kernel on random scores and values; each output through the hull test, and "
     "coordinate by coordinate.",
     NULL, 1, hulls_head},
    {36, "the cage, and two ways out", "Without the division outputs leave the hull of the values.",
     "essay §1; arXiv:2005.09561",
     "Five shipped values in the plane, queries once around: softmax stays inside, exponentials "
     "and "
     "linear attention without division do not.",
     NULL, 0.1, hulls_escape},
    {37, "hull membership, with proof",
     "Whether a point lies in a hull can be decided with a proof: weights, or a direction that "
     "separates.",
     "essay §4; Wendel 1962",
     "Verdicts against all triangles in the plane, proofs evaluated again, and how often a centre "
     "is "
     "inside against Wendel's closed form.",
     NULL, 1, hulls_membership},
    {38, "training sets in many dimensions",
     "The share of fresh points inside the hull of a training set falls to nothing with the "
     "dimension.",
     "essay §1, §7; arXiv:2110.09485",
     "Normal points, N fixed and the dimension rising; the centre, the easiest point, against "
     "Wendel's closed form.",
     NULL, 25, hulls_training_set},
    {39, "which interpolation",
     "A head always blends its context; the sum of two heads, a block's output and a sublayer's "
     "input "
     "need lie in no hull at all.",
     "essay §3, §7", "The three hulls, tested on a shipped model of two layers.", NULL, 1,
     hulls_which},
};

const ItemGroup group_hulls = {"hulls", "where outputs can lie", items,
                               sizeof items / sizeof *items};
