// Rules about the way data takes to the device. See rules.h.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome too_few_workers(const RuleInput& input);
RuleOutcome workers_at_limit(const RuleInput& input);
RuleOutcome buffer_too_shallow(const RuleInput& input);
RuleOutcome padding_waste(const RuleInput& input);
RuleOutcome bad_utterances(const RuleInput& input);
RuleOutcome transfer_exposed(const RuleInput& input);

}  // namespace qanat
