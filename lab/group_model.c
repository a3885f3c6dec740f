/* Items 21 to 34: what a transformer is made of. */
#include "lab/model.h"

static const Item items[] = {
    {21, "the minimal model",
     "A layer adds Σ_h Σ_{j≤i} a_ij v(h_j) and then m(h_i) to each row; compiled programs are such "
     "models.",
     "essay §2",
     "Random layers through the engine against the formula in loops, for six ways to weigh keys; "
     "programs on all short words and on random longer ones against the interpreter.",
     "The engine weighs keys by softmax, sparsemax, entmax 1.5 and the three hard rules. Top-k, "
     "other entmaxes and linear attention are the lab's (items 14 to 16). Hard attention that "
     "picks one key is tried on the programs that need no more.",
     0.5, model_minimal},
    {22, "three constraints",
     "Values see one row, scores a query and a key, and weights are means; without the first one a "
     "single value does everything.",
     "essay §2",
     "Each row of the stream of random two-layer models changed in turn: which values and scores "
     "change, bit by bit; a value shown the whole context against three tables of all words.",
     "Values and scores are read from the runtime's pass for looking into, which shows them; its "
     "results are those of the engine up to rounding (item 21).",
     0.9, model_constraints},
    {23, "several heads, a sum of hulls",
     "Each head's output is in the hull of its values, so their sum is in the Minkowski sum of the "
     "hulls, which is larger than any of them.",
     "essay §4; notes §5",
     "Layers of one to three random heads through the engine: 200 directions a row against the "
     "support function, and the hull test on all sums of values; two heads that pick one key each.",
     NULL, 0.1, model_heads},
    {24, "a gallery of heads",
     "One head looks at the token before, one routes by tags, one decays with distance, one picks "
     "a "
     "class of keys.",
     "notes §5",
     "RASP programs on tagged words: the matrices of their compiled heads against patterns made "
     "from the tags, on random sentences; all outputs of one model against the interpreter.",
     "The decaying head is no select, whose weights are equal: it is a head of the runtime with a "
     "score linear in the distance, and in RASP a sum of as many heads as there are distances.",
     0.1, model_gallery},
    {25, "votes",
     "The logits of a layer of heads are the direct term and, for each key, its weight times a "
     "vote h_j W_OV W_U; scores depend on W_QK alone.",
     "essay §1; Elhage et al. 2021",
     "Weights and votes from the matrices W_QK and W_OV against the logits of the engine; the same "
     "after a change of basis of queries and keys.",
     "For one layer of attention without a sublayer between it and W_U: with more the votes are of "
     "a stream that other layers have changed (item 51).",
     0.1, model_votes},
    {26, "select and aggregate",
     "select is a 0/1 matrix and aggregate the mean of what it selects; a softmax with a large "
     "enough gap does the same, with an error that can be bounded.",
     "essay §1, §3; arXiv:2106.06981",
     "36 selectors on all short words against loops; the leak lemma on random rows; closed forms "
     "of the β that is needed against bisection; certificates against the largest error found.",
     "The certificate is of the compiler's own tables. Its β, 64 here, makes the leak less than "
     "rounding and is not the least that would do: programs hold until it is many times hotter. "
     "That harmonic steps need log 3.8n is true below n = 250; it tends to log 4n.",
     1, model_select},
    {27, "causal mask", "With a_ij = 0 for j > i, outputs up to i do not depend on what follows.",
     "notes §6",
     "Random edits behind a random position, through the engine under each rule, type and path: "
     "rows up to there, bit by bit.",
     NULL, 1, model_causal},
    {28, "KV cache",
     "A pass that keeps keys and values gives token by token, or by chunks, what a full pass "
     "gives.",
     "notes §6",
     "The engine's full pass against its stream, under each rule and type; a cache that takes "
     "chunks of any size, key by key, against the engine and bit by bit against itself; causal "
     "programs by all three.",
     "The runtime's stream takes a token at a time and sums in another order than a full pass: "
     "equal up to rounding, which is 1e-6 in float32 for a head, and more where further layers "
     "magnify it. Chunks, and equal bits, are of the lab's own cache over the same weights.",
     0.3, model_cache},
    {29, "why raw vectors are kept",
     "For given queries the outputs factor through a summary of r rows of the values if and only "
     "if r is at least the rank of the weights.",
     "notes §6",
     "Ranks of weight matrices, those of softmax from the engine; outputs from a summary of as "
     "many rows, and two caches with equal summaries of one row fewer.",
     "Of queries that are known and keys that are given. The causal weights of a uniform head have "
     "full rank too, but its sum can be kept as it runs; and softmax in few dimensions or at a "
     "high temperature is near a matrix of low rank.",
     0.2, model_raw_vectors},
    {30, "pages and sinks",
     "A cache in pages gives what a contiguous one gives; a sink takes the mass of a head exactly "
     "where nothing matches.",
     "notes §6; arXiv:2309.06180",
     "Two sequences that take pages of one pool in turn, bit by bit, for seven page sizes; the "
     "mass on the sink of compiled heads, on all short words, against the interpreter's widths "
     "and the bounds by β.",
     "The sink of a compiled head scores half of what a selected key scores. A width has another: "
     "there the sink is always selected, and is what 1/(1 + w) counts.",
     0.2, model_pages},
    {31, "a design matrix",
     "Attention appends smoothed columns to the residual stream, sublayers functions of columns, "
     "and logits are a regression on them.",
     "essay §8",
     "Every column of compiled programs, read from the stream on all short words, against the "
     "interpreter on its source expression; ranks by Gram and Schmidt and by singular values; "
     "logits regressed on the columns.",
     "Of compiled models, whose columns have names: in a trained one a direction of the stream "
     "need be no column of anything. Under softmax columns carry its leak, within what the "
     "certificate allows.",
     0.1, model_ledger},
    {32, "a skip is boosting",
     "Layers of fixed attention S with W_V = −I leave (I − S)^L y of a residual y: they boost the "
     "smoother S.",
     "essay §6, §8; arXiv:1706.04964",
     "Stacks of up to 20 layers through the engine against f ← f + S(y − f) and against the power; "
     "the training error for symmetric Gaussian kernels.",
     "The training error falls if S is symmetric with eigenvalues in [0, 1]; attention in general "
     "is neither, and S that swaps neighbours doubles it. Normalised by roots of row sums S is "
     "symmetric but no attention matrix; normalised by Sinkhorn it is both.",
     0.2, model_boosting},
    {33, "sublayers act within positions",
     "A sublayer is one function of each row: it mixes no positions, and it can leave the hull of "
     "the values.",
     "essay §4",
     "Permuted inputs through the engine, row by row and bit by bit; one token changed; twice the "
     "mean of five points, by the hull test.",
     "Bit by bit where the engine's own kernels multiply (path sparse). OpenBLAS may round a row "
     "by its place in a block; there it is the same row up to rounding.",
     0.1, model_pointwise},
    {34, "a statistic for each query",
     "Fixed weights are one statistic for all queries, and equal ones the sufficient mean; "
     "attention computes one for each query.",
     "notes §1, §7",
     "The engine at β = 0 against means; likelihood ratios of samples with one statistic; risks "
     "against closed forms, |z| ≤ 4; one output by three readings.",
     "Sufficient is the mean for a normal mean of known variance. That attention is adaptively "
     "sufficient is a reading; what is measured is a case in which each query needs its own.",
     0.3, model_statistics},
};

const ItemGroup group_model = {"model", "what a transformer is made of", items,
                               sizeof items / sizeof *items};
