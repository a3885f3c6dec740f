#include "runtime/weight_rule.h"

#include <string.h>

const RtRuleInfo rt_rules[RT_RULE_COUNT] = {
#define RULE(id, function, name, temperature, tiles, merges, summary)                              \
    [id] = {name, summary, temperature, tiles, merges},
#include "runtime/weight_rule.def"
#undef RULE
};

bool rt_rule_find(const char *name, RtRule *out) {
    for (int i = 0; i < RT_RULE_COUNT; i++) {
        *out = (RtRule)i;
        if (strcmp(rt_rules[i].name, name) == 0) return true;
    }
    return false;
}
