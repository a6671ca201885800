// Which finding comes first, and what the others are still worth then: time is won only once.
//
// Findings claim parts of the step. The one that is worth most goes first, unless another one says
// more exactly where the same time goes: a cause before its symptom. What is left of a claim is its
// marginal gain; a finding that is left with little is explained by the one before it.
#pragma once

#include <vector>

#include "diagnose/rules.h"

namespace qanat {

std::vector<Finding> rank_by_cause(std::vector<Finding> findings, const RuleInput& input);

}  // namespace qanat
