/* Items 73 to 75: three experiments with trained heads, each with a rule stated beforehand. */
#include "lab/experiments.h"

static const Item items[] = {
    {74, "learned bandwidth, in-context denoising",
     "A trained head spreads over its precedents as an oracle would: its entropy follows log m.",
     "essay §9; notes §3",
     "One softmax head trained on 64 positions to denoise by 1 to 16 copies, three seeds, three "
     "regimes; entropy, mass and error against closed forms at four lengths.",
     "The oracle is uniform over the copies only if 1/p ≥ 1 + σ²/m; with a larger output scale the "
     "best weights leak on purpose, because leaking onto many others is shrinkage.",
     40, experiment_denoise},
    {75, "length transfer",
     "A trained head's mass thins out with the length like that of a smoother of fixed bandwidth, "
     "and "
     "scores times log n bring it back.",
     "essay §6, §9; arXiv:2202.12172",
     "The head of item 74 at lengths up to 64 times the training length; the prediction uses the "
     "training length alone.",
     "log n is exact for a deterministic gap; with random scores of other keys the moment of "
     "exp(−gap) "
     "takes its place, and exact collisions of keys put a floor that no scale removes.",
     40, experiment_transfer},
};

const ItemGroup group_experiments = {"experiments", "trained heads, and rules stated beforehand",
                                     items, sizeof items / sizeof *items};
