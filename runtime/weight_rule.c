#include "runtime/weight_rule.h"

const RtRuleInfo rt_rules[RT_RULE_COUNT] = {
#define RULE(id, function, name, temperature, tiles, merges, summary)                              \
    [id] = {name, summary, temperature, tiles, merges},
#include "runtime/weight_rule.def"
#undef RULE
};
