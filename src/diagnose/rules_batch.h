// Rules about what batches hold and how they reach the device. See rules.h.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome padding_waste(const RuleInput& input);
RuleOutcome copies_not_overlapped(const RuleInput& input);
RuleOutcome features_made_again(const RuleInput& input);
RuleOutcome bad_utterances(const RuleInput& input);
RuleOutcome transfer_exposed(const RuleInput& input);

}  // namespace qanat
