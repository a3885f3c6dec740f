/* Items 73 to 75: three experiments with trained heads, each with a rule stated beforehand. */
#include "lab/experiments.h"

static const Item items[] = {
    {73, "two gaps on text",
     "With two or more heads the hull gap of a trained one-layer model on text is near zero.",
     "essay §5, §9",
     "A one-layer attention-only model trained on a novel, three seeds, one, two and four heads; "
     "at "
     "1,500 test positions its loss is split into what weights could repair and what they could "
     "not, "
     "under character models of six novels and of the training part.",
     "The reference is not Bayes, so the bracket is cheating oracle ≤ oracle ≤ reference oracle. "
     "The "
     "cheating oracle says nothing for two heads or more, since any token's vote direction can be "
     "put "
     "together: only the others carry the conclusion. A hull gap of zero says that some weights "
     "exist, "
     "not that a bilinear score can find them.",
     400, experiment_gaps},
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
     "training length alone. A compiled induction head with its β fixed for 8 tokens, times log n, "
     "and plus ln n, against the interpreter.",
     "log n is exact for a deterministic gap; with random scores of other keys the moment of "
     "exp(−gap) "
     "takes its place, and exact collisions of keys put a floor that no scale removes.",
     40, experiment_transfer},
};

const ItemGroup group_experiments = {"experiments", "trained heads, and rules stated beforehand",
                                     items, sizeof items / sizeof *items};
