// Rules about how step times change from step to step. See rules.h.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome periodic_stall(const RuleInput& input);
RuleOutcome drift(const RuleInput& input);
RuleOutcome level_shift(const RuleInput& input);
RuleOutcome intermittent_stalls(const RuleInput& input);
RuleOutcome jitter(const RuleInput& input);

}  // namespace qanat
