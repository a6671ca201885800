// Rules about where the data lies and what it takes to read it. See rules.h.
#pragma once

#include "diagnose/rules.h"

namespace qanat {

RuleOutcome storage_too_slow(const RuleInput& input);
RuleOutcome cache_misses(const RuleInput& input);
RuleOutcome remote_files(const RuleInput& input);
RuleOutcome small_files(const RuleInput& input);
RuleOutcome decode_dominates(const RuleInput& input);

}  // namespace qanat
