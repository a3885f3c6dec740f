/* Items 1 to 20: what one head computes, and the kernels it may weigh keys by. */
#include "lab/heads.h"

static const Item items[] = {
    {1, "softmax head = kernel smoother",
     "A softmax head is the Nadaraya–Watson estimate with the kernel exp(q·k/τ).",
     "essay §1; notes §2",
     "Random heads through the runtime's float64 engine, against Σ K v / Σ K in explicit loops; "
     "the "
     "same with a function of the query added to all its scores.",
     NULL, 1, heads_nadaraya_watson},
    {2, "learned, bilinear, asymmetric",
     "The kernel exp(h_i W h_j), W = W_Q W_K^T of rank at most d_k, need not be symmetric.",
     "essay §1",
     "The asymmetry ‖K − K^T‖/‖K‖ of a random head, of one with symmetric W, and of a hard "
     "previous-token head, where it is √2.",
     NULL, 0.1, heads_asymmetry},
    {3, "temperature = bandwidth",
     "A small temperature gives the nearest neighbour, a large one the mean, and what is best lies "
     "between.",
     "notes §2, §3",
     "Bounds on weights and leak at random scores; a regression on a noisy wave by attention: fit, "
     "its two limits with their bounds, and the error of each point estimated from the others.",
     NULL, 0.2, heads_temperature},
    {4, "entropy-regularised optimum",
     "Softmax weights are the only maximum of b·s + τ H(b) on the simplex, and the maximum is τ "
     "LSE(s/τ).",
     "notes §3",
     "The objective at softmax weights and at random points of the simplex, whose deficit must be "
     "τ "
     "KL(b, a).",
     NULL, 0.1, heads_variational},
    {5, "effective k = exp H",
     "exp H(a) counts the keys a head looks at; it grows with the temperature at the rate "
     "Var(s)/τ³ "
     "in H.",
     "notes §3",
     "Equal weights on w keys, central differences of H in τ against the closed form, "
     "monotonicity.",
     NULL, 0.1, heads_effective_k},
    {6, "Gaussian kernel",
     "Normalised exp(−‖q−k‖²/2σ²) is a softmax of q·k at the temperature σ² with a bias for each "
     "key.",
     "notes §2",
     "From the distances, against dot products with and without the bias, for keys of one norm and "
     "of many.",
     "Equality needs the bias −‖k‖²/2σ² of the key: what depends on the query alone cancels, what "
     "depends on the key does not. Without it the two agree only where all keys have one norm.",
     0.1, heads_gaussian},
    {7, "a prior over keys",
     "With KL to a prior r in place of the entropy, the weights are r exp(s/τ), normalised.",
     "notes §4",
     "The objective at those weights and at random points, its value, and the uniform prior.", NULL,
     0.1, heads_prior},
    {8, "ALiBi", "A bias linear in the distance is a geometric prior over keys.",
     "notes §4; arXiv:2108.12409",
     "Weights of zero scores against the closed form of a geometric law; random scores against the "
     "weights of that prior.",
     NULL, 0.1, heads_alibi},
    {9, "T5's relative biases",
     "A learned bias for each bucket of distances is a prior that is constant on buckets.",
     "notes §4; arXiv:1910.10683",
     "Buckets against their definition by steps, in long double; weights against the prior exp(b).",
     NULL, 0.1, heads_t5},
    {10, "a local window",
     "A window is a prior that is 0 outside of it; L layers see L(W − 1) positions back.",
     "notes §4",
     "Banded attention against masked full attention; edits before and at that distance, bit by "
     "bit.",
     NULL, 0.1, heads_window},
    {11, "leftmost and rightmost hard attention",
     "Hard attention that breaks ties to the left or right is a limit of softmax, and the two "
     "compute different things.",
     "essay §2, §6",
     "Random rows with ties against the comparison of all pairs and against softmax with a slight "
     "slope; a compiled program under both rules.",
     NULL, 0.2, heads_hard_attention},
    {12, "averaging = RASP's aggregate",
     "Uniform weight on the maxima is what aggregate means, and the limit of softmax as τ falls.",
     "essay §1, §2; arXiv:2106.06981",
     "Compiled programs with averaging heads against the interpreter, on every input up to length "
     "6.",
     NULL, 1, heads_averaging},
    {13, "sparsemax",
     "The nearest point of the simplex has compact support: it is Epanechnikov's kernel, exactly "
     "hard from a gap of 1/w on.",
     "essay §1; arXiv:1602.02068, 2601.22766",
     "Conditions of optimality, bisection, projection, the runtime's engine, the kernel's formula; "
     "the gap from which nothing leaks, by bisection.",
     NULL, 1, heads_sparsemax},
    {14, "entmax",
     "α-entmax is the kernel (1 − x²)^m for α = 1 + 1/m, exactly hard from a gap of w^(1−α)/(α−1).",
     "essay §1; arXiv:1905.05702",
     "The sorted solution for 1.5 against bisection and the runtime's engine; Tsallis' objective "
     "at "
     "the solution and around it; the kernel's formula; the gap from which nothing leaks.",
     NULL, 1, heads_entmax},
    {15, "top-k", "Softmax of the k best keys is as far from softmax as softmax has mass outside.",
     "essay §1", "Total variation against that mass, on rows with ties; k = n and k = 1.", NULL,
     0.1, heads_top},
    {16, "linear attention", "A kernel φ(q)·φ(k) lets a state of fixed size replace the keys.",
     "essay §4, notes §4; arXiv:2006.16236, 2009.14794",
     "The quadratic, the prefix and the chunked form against one another for three features; "
     "random features against exp(q·k); times at two lengths.",
     NULL, 3, heads_linear_attention},
    {17, "fast-weight memory",
     "Linear attention's state is a memory that keys write and queries read, with crosstalk.",
     "essay §1, §4; arXiv:2102.11174",
     "Recall with orthonormal keys, the crosstalk's formula, and the delta rule's last write.",
     NULL, 0.1, heads_fast_weights},
    {18, "attention without division",
     "Without normalisation the output leaves the hull of the values, and a 0/1 selector counts.",
     "essay §1, §4; arXiv:2005.09561",
     "A head of three keys with a direction that separates its output from all values; float32 "
     "sums "
     "of ones for every length below 2^24.",
     NULL, 0.1, heads_unnormalised},
    {19, "attention in tiles",
     "Softmax attention block by block, with a running maximum and sum, is exact and needs no n² "
     "memory.",
     "essay; arXiv:2205.14135",
     "The runtime's engine at seven sizes of tiles and a running state of the lab's own, against a "
     "pass over whole rows in long double, also at scores of ±10⁴.",
     NULL, 1, heads_tiles},
    {20, "varying coefficients",
     "With its weights frozen, a head is linear in the values, with coefficients that are a point "
     "of "
     "the simplex.",
     "essay §1",
     "Coefficients probed by unit values through the runtime's engine, against the attention "
     "matrix; "
     "superposition of values.",
     NULL, 1, heads_coefficients},
};

const ItemGroup group_heads = {"heads", "single heads and kernels", items,
                               sizeof items / sizeof *items};
