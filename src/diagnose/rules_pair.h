// Rules about two GPUs of one run: the way between them, and how fast batches take it. See rules.h.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome no_peer_copies(const RuleInput& input);
RuleOutcome slow_peer_copies(const RuleInput& input);
RuleOutcome distant_pair(const RuleInput& input);

}  // namespace qanat
