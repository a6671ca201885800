// Ranks turned into the values a normal sample would have there: keeps the order, bounds outliers.
#pragma once

#include <span>
#include <vector>

namespace qanat {

// The value below which a standard normal lies with probability `share`, in (0, 1).
double normal_quantile(double share);

std::vector<double> normal_scores(std::span<const double> values);

}  // namespace qanat
