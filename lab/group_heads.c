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
};

const ItemGroup group_heads = {"heads", "single heads and kernels", items,
                               sizeof items / sizeof *items};
