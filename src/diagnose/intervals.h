// How certain a figure about step times is. Neighbouring steps resemble each other, so the
// textbook interval is too narrow; these count neighbours for what they are worth.
#pragma once

#include <span>

#include "metrics/order_statistics.h"

namespace qanat {

// How many independent values are as informative as the series: n / integrated autocorrelation.
double effective_count(std::span<const double> values);

// 95 % interval of the mean, from the effective count.
Range mean_interval(std::span<const double> values);

// 95 % interval of mean(above) / mean(below), whose elements belong together in pairs.
Range ratio_interval(std::span<const double> above, std::span<const double> below);

}  // namespace qanat
