// Rules about GPUs, from what NVML said of them: presence, clocks, links, errors and
// neighbours. See rules.h.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome unused_gpu(const RuleInput& input);
RuleOutcome driver_mismatch(const RuleInput& input);
RuleOutcome device_order(const RuleInput& input);
RuleOutcome clock_limited(const RuleInput& input);
RuleOutcome narrow_link(const RuleInput& input);
RuleOutcome memory_errors(const RuleInput& input);
RuleOutcome driver_errors(const RuleInput& input);
RuleOutcome shared_gpu(const RuleInput& input);
RuleOutcome memory_full(const RuleInput& input);
RuleOutcome persistence_off(const RuleInput& input);

}  // namespace qanat
