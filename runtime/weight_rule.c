#include "runtime/weight_rule.h"

#include <math.h>
#include <stddef.h>

const RtRuleInfo rt_rules[RT_RULE_COUNT] = {
#define NOTHING                                                                                    \
    { NULL, false, 0, 0 }
#define TAKES(...)                                                                                 \
    { __VA_ARGS__ }
#define RULE(id, function, name, parameter, temperature, kernel, tiles, merges, summary)           \
    [id] = {name, summary, parameter, temperature, kernel, tiles, merges},
#include "runtime/weight_rule.def"
#undef RULE
};

bool rt_rule_accepts(RtRule rule, double parameter) {
    const RtRuleParameter *p = &rt_rules[rule].parameter;
    if (!p->name) return parameter == 0;
    if (!isfinite(parameter)) return false;
    return p->whole ? parameter >= p->least && parameter == floor(parameter) : parameter > p->least;
}

bool rt_rule_check(RtRule rule, double parameter, RtError *err) {
    const RtRuleInfo *info = &rt_rules[rule];
    if (rt_rule_accepts(rule, parameter)) return true;
    if (!info->parameter.name)
        return rt_error(err, "%s takes no parameter, found %g", info->name, parameter);
    return rt_error(err, "%s: expected %s, a%snumber %s %g, found %g", info->name,
                    info->parameter.name, info->parameter.whole ? " whole " : " ",
                    info->parameter.whole ? "of at least" : "above", info->parameter.least,
                    parameter);
}
