// Rules about what the model device does in a step. See rules.h.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome fixed_cost(const RuleInput& input);
RuleOutcome optimizer_share(const RuleInput& input);
RuleOutcome saving_exposed(const RuleInput& input);
RuleOutcome memory_retries(const RuleInput& input);

}  // namespace qanat
