// The first half of evaluate(): which clips belong together, and what they are compared by alone.
#pragma once

#include <optional>

#include "evaluate/evaluation.h"

namespace qanat {

// Everything but what commands say. Nothing when stopped.
std::optional<Evaluation> evaluate_pairs(const EvaluationRequest& request);

}  // namespace qanat
