/* Weight rules: how a row of attention scores becomes weights. A property of the run, though a
 * model may say what stands for softmax (Model.kernel). The table is weight_rule.def. "Selected"
 * are the keys whose score is at least the row's maximum minus a quarter of the head's gap (times
 * its scale). */
#ifndef RUNTIME_WEIGHT_RULE_H
#define RUNTIME_WEIGHT_RULE_H

#include "runtime/error.h"

typedef enum {
#define RULE(id, ...) id,
#include "runtime/weight_rule.def"
#undef RULE
    RT_RULE_COUNT
} RtRule;

/* The number that a rule takes: a whole one of at least `least`, or any above it. */
typedef struct {
    const char *name; /* NULL: the rule takes none, and is given 0 */
    bool whole;
    double least, example;
} RtRuleParameter;

typedef struct {
    const char *name, *summary;
    RtRuleParameter parameter;
    bool temperature, kernel, tiles, merges; /* see weight_rule.def */
} RtRuleInfo;

extern const RtRuleInfo rt_rules[RT_RULE_COUNT];

/* Whether the rule can be run with that parameter. */
bool rt_rule_accepts(RtRule rule, double parameter);
/* The same, or what was expected. */
bool rt_rule_check(RtRule rule, double parameter, RtError *err);

/* What a run with `wanted` uses on a model with that kernel, which stands for softmax. */
static inline RtRule rt_rule_of(RtRule wanted, RtRule kernel) {
    return wanted == RT_SOFTMAX ? kernel : wanted;
}

#endif
