// Rules about the machine a run shares with others: quotas, pressure, run queues, memory nodes,
// clocks. See rules.h.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome quota_too_small(const RuleInput& input);
RuleOutcome quota_throttles(const RuleInput& input);
RuleOutcome pressure_stalls(const RuleInput& input);
RuleOutcome oversubscribed(const RuleInput& input);
RuleOutcome noisy_neighbour(const RuleInput& input);
RuleOutcome remote_node(const RuleInput& input);
RuleOutcome swapping(const RuleInput& input);
RuleOutcome slow_governor(const RuleInput& input);
RuleOutcome locked_memory_limit(const RuleInput& input);

}  // namespace qanat
