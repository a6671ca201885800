// Which finding comes first, and what the others are still worth then: gains overlap.
//
// Findings claim parts of the step. One whose time another names more exactly is explained by that
// one: a symptom by its cause, variation by the machine. The others come in the order of what they
// are worth, those that warn first. What is left of a claim is its marginal gain; a finding that is
// left with little is explained by the one before it.
#pragma once

#include <vector>

#include "diagnose/rules.h"

namespace qanat {

std::vector<Finding> rank_by_cause(std::vector<Finding> findings, const RuleInput& input);

}  // namespace qanat
