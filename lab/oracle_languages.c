/* Items 45 to 47: laws that are known, laws that are believed, tokens that came. */
#include "lab/oracle.h"

#include "lab/choice.h"
#include "lab/simplex.h"
#include "lab/vote_case.h"

#include <math.h>
#include <string.h>

enum { SYMBOLS = 16, CONTEXT = 32, MOST_HEADS = 4, GRAMMAR_SEED = 5 };
static const double kappas[] = {0, 0.5, 1, 2};
enum { KAPPAS = sizeof kappas / sizeof *kappas };
static const double LN2 = 0.69314718055994530942;

/* All weight of the first head on the previous token, that of the others on the null vote: what a
 * person would write down, and exact at κ = 0. */
static void previous_token(const Votes *votes, size_t i, double *weights) {
    memset(weights, 0, votes->heads * votes->keys * sizeof *weights);
    weights[i - 1] = 1;
    for (size_t h = 1; h < votes->heads; h++) weights[h * votes->keys + votes->keys - 1] = 1;
}

/* A position of a sampled context, as votes. */
static VoteCase draw_position(Lab *lab, const Grammar *g, size_t heads, size_t *tokens) {
    grammar_sample(g, lab->rng, CONTEXT + 1, tokens);
    size_t i = CONTEXT / 2 + rng_below(lab->rng, CONTEXT / 2);
    tokens[CONTEXT + 1] = i;
    return vote_case_grammar(lab, g, tokens, i, heads);
}

/* --- 45: Bayes ≤ oracle ≤ a model ------------------------------------------------------------- */

void oracle_order(Lab *lab, Page *page) {
    size_t positions = lab->quick ? 12 : 150, disorder = 0, step = 0;
    double gap_at_zero = 0;
    PageTable *table =
        page_table(page, "the grammar G2: means over the positions, bits",
                   (const char *const[]){"κ", "Bayes loss", "oracle gap, 1 head", "2 heads",
                                         "4 heads", "previous-token head", NULL});
    double mean[3][KAPPAS];
    for (size_t k = 0; k < KAPPAS; k++) {
        Grammar g = grammar_new(lab->arena, GRAMMAR_SEED, SYMBOLS, kappas[k]);
        double bayes = 0, above[3] = {0}, written = 0;
        for (size_t p = 0; p < positions; p++) {
            size_t tokens[CONTEXT + 2], heads = 1;
            VoteCase all = draw_position(lab, &g, MOST_HEADS, tokens);
            double floor = entropy(all.law, SYMBOLS), before = INFINITY, loss;
            for (size_t h = 0; h < 3; h++, heads *= 2) {
                lab_progress(lab, (double)step++ / (double)(KAPPAS * positions * 3));
                Votes votes = all.votes;
                votes.heads = heads; /* its heads have the same votes */
                Descent best = choice_best(&votes, all.law, 1e-6, all.weights, lab->arena);
                previous_token(&votes, tokens[CONTEXT + 1], all.weights);
                loss = choice_loss(&votes, all.law, all.weights, NULL, lab->arena);
                disorder +=
                    !(floor <= best.value + 1e-12 && best.value - best.gap <= loss + 1e-12 &&
                      best.value - best.gap <= before + 1e-12);
                before = best.value;
                above[h] += best.value - floor;
                if (k == 0 && h == 0) gap_at_zero = fmax(gap_at_zero, best.value - floor);
            }
            bayes += floor;
            written += loss - floor;
        }
        double scale = 1 / (LN2 * (double)positions);
        table_number(table, kappas[k], 2);
        table_number(table, bayes * scale, 4);
        for (size_t h = 0; h < 3; h++) table_number(table, mean[h][k] = above[h] * scale, 4);
        table_number(table, written * scale, 4);
    }
    check_none(page, "positions where Bayes ≤ oracle ≤ previous-token head fails", disorder);
    check_most(page, IDENTITY, "largest one-head gap at κ = 0, nats", gap_at_zero, 2e-6);
    Plot *plot = plot_new(page->arena, "oracle gap of the grammar", "κ", "bits above Bayes");
    for (size_t h = 0; h < 3; h++)
        plot_line(plot, arena_format(page->arena, "%d heads", 1 << h), kappas, mean[h], KAPPAS);
    page_plot(page, plot);
}

/* --- 46 and 47: the token that came, and a law that is believed ------------------------------- */

/* A belief about the next token: half the law, half a uniform one. */
static void believe(const double *law, double *belief) {
    for (size_t y = 0; y < SYMBOLS; y++) belief[y] = 0.5 * law[y] + 0.5 / SYMBOLS;
}

static void one_hot(size_t token, double *law) {
    memset(law, 0, SYMBOLS * sizeof *law);
    law[token] = 1;
}

/* The rules of item 46, each writing weights. */
typedef enum Rule { RULE_UNIFORM, RULE_LAST, RULE_PREVIOUS, RULE_RANDOM, RULE_LAW, RULES } Rule;
static const char *const rule_names[RULES] = {"uniform", "last token", "previous token", "random",
                                              "oracle of the true law"};

static void choose(Lab *lab, Rule rule, const VoteCase *c, size_t i) {
    const Votes *votes = &c->votes;
    size_t count = votes->heads * votes->keys;
    switch (rule) {
    case RULE_UNIFORM:
        for (size_t k = 0; k < count; k++) c->weights[k] = 1 / (double)votes->keys;
        break;
    case RULE_LAST:
        memset(c->weights, 0, count * sizeof *c->weights);
        for (size_t h = 0; h < votes->heads; h++) c->weights[h * votes->keys + i] = 1;
        break;
    case RULE_PREVIOUS:
        previous_token(votes, i, c->weights);
        break;
    case RULE_RANDOM:
        draw_weights(lab->rng, votes->heads, votes->keys, c->weights);
        break;
    default:
        choice_best(votes, c->law, 1e-7, c->weights, lab->arena);
        break;
    }
}

void oracle_cheat(Lab *lab, Page *page) {
    size_t positions = lab->quick ? 30 : 300, beaten = 0;
    double mean[2][RULES] = {{0}}, cheat[2] = {0};
    Grammar g = grammar_new(lab->arena, GRAMMAR_SEED, SYMBOLS, 1);
    for (size_t p = 0; p < positions; p++) {
        lab_progress(lab, (double)p / (double)positions);
        for (size_t h = 0; h < 2; h++) {
            size_t tokens[CONTEXT + 2];
            VoteCase c = draw_position(lab, &g, h + 1, tokens);
            double token[SYMBOLS];
            one_hot(law_draw(c.law, SYMBOLS, lab->rng), token);
            Descent best = choice_best(&c.votes, token, 1e-7, c.weights, lab->arena);
            cheat[h] += best.value / (LN2 * (double)positions);
            for (Rule r = 0; r < RULES; r++) {
                choose(lab, r, &c, tokens[CONTEXT + 1]);
                double loss = choice_loss(&c.votes, token, c.weights, NULL, lab->arena);
                beaten += loss < best.value - best.gap - 1e-12;
                mean[h][r] += loss / (LN2 * (double)positions);
            }
        }
    }
    check_none(page, "positions where a rule beats the cheating oracle", beaten);
    PageTable *table = page_table(page, "loss on the token that came, bits",
                                  (const char *const[]){"rule", "1 head", "2 heads", NULL});
    for (Rule r = 0; r <= RULES; r++) {
        table_text(table, r < RULES ? rule_names[r] : "cheating oracle");
        for (size_t h = 0; h < 2; h++) table_number(table, r < RULES ? mean[h][r] : cheat[h], 4);
    }
}

void oracle_bracket(Lab *lab, Page *page) {
    size_t positions = lab->quick ? 30 : 300, outside = 0;
    double expected = -INFINITY, identity = 0, losses[4] = {0};
    Grammar g = grammar_new(lab->arena, GRAMMAR_SEED, SYMBOLS, 1);
    for (size_t p = 0; p < positions; p++) {
        lab_progress(lab, (double)p / (double)positions);
        size_t tokens[CONTEXT + 2];
        VoteCase c = draw_position(lab, &g, 1, tokens);
        double belief[SYMBOLS], token[SYMBOLS], z[SYMBOLS];
        believe(c.law, belief);
        one_hot(law_draw(c.law, SYMBOLS, lab->rng), token);
        Descent cheat = choice_best(&c.votes, token, 1e-8, c.weights, lab->arena);
        Descent oracle = choice_best(&c.votes, c.law, 1e-8, c.weights, lab->arena);
        double realised = choice_loss(&c.votes, token, c.weights, NULL, lab->arena);
        Descent ref = choice_best(&c.votes, belief, 1e-8, c.weights, lab->arena);
        double by_ref = choice_loss(&c.votes, token, c.weights, NULL, lab->arena);
        outside += cheat.value - cheat.gap > by_ref + 1e-12;
        expected = fmax(expected, oracle.value - oracle.gap -
                                      choice_loss(&c.votes, c.law, c.weights, NULL, lab->arena));
        votes_logits(&c.votes, c.weights, z);
        softmax(z, SYMBOLS, 1, z);
        identity = fmax(
            identity, fabs(ref.value - entropy(belief, SYMBOLS) - divergence(belief, z, SYMBOLS)));
        double found[] = {cheat.value, realised, by_ref, -log(dot(c.law, token, SYMBOLS))};
        for (int k = 0; k < 4; k++) losses[k] += found[k] / (LN2 * (double)positions);
    }
    check_none(page, "positions where the cheating oracle loses to the reference oracle", outside);
    check_most(page, IDENTITY, "largest f_p(oracle) − f_p(reference oracle)", expected, 1e-12);
    check_near(page, IDENTITY, "largest |f_ref − H(p_ref) − KL(p_ref, q_ref)|", identity, 0, 1e-10);
    static const char *const names[] = {"cheating oracle", "oracle of the true law",
                                        "oracle of a half-uniform law", "the true law itself"};
    PageTable *table = page_table(page, "loss on the token that came, bits",
                                  (const char *const[]){"who", "loss", NULL});
    for (int k = 0; k < 4; k++) {
        table_text(table, names[k]);
        table_number(table, losses[k], 4);
    }
}
