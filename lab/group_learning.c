/* Items 63 to 72: learning in context, and learning to. */
#include "lab/learning.h"

static const Item items[] = {
    {63, "the induction head",
     "Two layers copy what followed the latest earlier occurrence of a token; one layer that "
     "compares tokens and shifted positions cannot.",
     "essay §3; Elhage et al. 2021; arXiv:2408.14332",
     "A compiled program on all words over three letters against a loop; for one layer, all "
     "selectors of a grammar on all words: pairs that none of them tells apart.",
     "The impossibility is of the grammar that the page names, and of finite words; the "
     "theorem bounds heads × width × bits.",
     0.5, learning_induction},
    {64, "few shots and many",
     "A kernel that matches needs one precedent and averages noise like σ²/m; a smooth kernel "
     "needs many.",
     "essay §3",
     "Averaging hard attention on exact matches against 0 and σ²/m, |z| ≤ 4; smooth softmax "
     "heads and a trained one beside it.",
     NULL, 6, learning_precedents},
    {65, "one step of gradient descent",
     "A layer of linear attention on tokens (x, y) makes one step of gradient descent on the "
     "squared error of the examples.",
     "essay §1, §4; arXiv:2212.07677",
     "The layer with its weights written down against the step by its formula, and by differences "
     "of the loss.",
     "Exact for linear attention without a division; a softmax head needs help (item 68).", 1,
     learning_one_step},
    {66, "depth is iterations",
     "L such layers make L steps, and tend to least squares if and only if η < 2/λ_max.",
     "essay §1",
     "Answers of up to 32 layers against gradient descent on w, and of 256 against the geometric "
     "bound about least squares by elimination.",
     "L layers are L steps: least squares itself needs L → ∞, or a recursion that inverts "
     "(item 69).",
     3, learning_depth},
    {67, "one step, least squares, ridge",
     "The best single step has the risk d(1 − η*), far above ridge, which is Bayes; a trained "
     "layer finds that step.",
     "essay §1; arXiv:2208.01066, 2211.15661, 2306.00297",
     "Simulated risks against closed forms, |z| ≤ 4; a d × d layer trained by Adam against the "
     "least risk that it can have.",
     "A layer makes one step of descent: that linear attention implements least squares is true "
     "of many layers only.",
     15, learning_risks},
    {68, "two softmax heads make one linear",
     "Two softmax heads of small opposite scores differ by centred linear attention, to third "
     "order; one head stays in the hull of its values.",
     "essay §4",
     "Heads through the engine; the slope of what is left over for ε from 1/8 to 1/256; the hull "
     "test on single heads and on gradient steps.",
     "The two heads are the help that the claim speaks of: one softmax head cannot do least "
     "squares.",
     2, learning_two_heads},
    {69, "layers as regressions at test time",
     "Softmax, linear, gated and delta-rule attention and RLS each minimise Σ γ_i ‖v_i − m(k_i)‖² "
     "by some model m, weights γ and optimiser.",
     "essay §1; arXiv:2501.12352",
     "Each layer's recursion after every token against a solver that knows the loss alone: "
     "normal equations, or steps by differences.",
     NULL, 2, learning_taxonomy},
    {70, "learning the metric",
     "A kernel regression that learns its metric from its own leave-one-out error finds the "
     "coordinates that matter.",
     "essay §3; Weinberger and Tesauro 2007",
     "The analytic gradient against central differences; then descent on data whose answers "
     "depend on two planted coordinates of eight.",
     "That pretraining is metric learning on the corpus is a reading; this is a case of it.", 12,
     learning_metric},
    {71, "confabulation as averaging",
     "Asked for a key that is absent, a trained head answers with the kernel average over the "
     "nearest precedents, not with noise.",
     "essay §7",
     "A trained head's output against kernel regression with one isotropic bandwidth, fitted on "
     "other sequences; outputs of other sequences for control.",
     "One head, and keys of ±1; what larger models do with absent facts is not measured here.", 12,
     learning_confabulation},
    {72, "what learning a similarity costs",
     "A bilinear score has d_k² parameters, and its selection error falls as there are more "
     "sequences to learn it from.",
     "essay §7",
     "Heads trained on 32 to 512 sequences, five training sets of each size; the slope with "
     "its bootstrap interval.",
     "Reported only: no law is claimed for the slope. That adapting a bandwidth costs a factor "
     "log n is in the literature, and not tested.",
     12, learning_sample_curve},
};

const ItemGroup group_learning = {"learning", "learning in context, and learning to", items,
                                  sizeof items / sizeof *items};
