// Rules about feeding the device: why it waits for data. See rules.h and wait_cause.h, which
// decides which one of them speaks.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome slow_storage(const RuleInput& input);
RuleOutcome too_few_workers(const RuleInput& input);
RuleOutcome workers_at_limit(const RuleInput& input);
RuleOutcome lock_convoy(const RuleInput& input);
RuleOutcome buffer_too_shallow(const RuleInput& input);
RuleOutcome too_many_workers(const RuleInput& input);
RuleOutcome slow_epoch_start(const RuleInput& input);
RuleOutcome straggling_files(const RuleInput& input);
RuleOutcome held_up_by_machine(const RuleInput& input);

}  // namespace qanat
