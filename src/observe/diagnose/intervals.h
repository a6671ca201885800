// How certain a figure about step times is. Neighbouring steps resemble each other, so the
// textbook interval is too narrow; these count neighbours for what they are worth.
#pragma once

#include <cstddef>
#include <span>

#include "metrics/order_statistics.h"

namespace qanat {

// How many independent values are as informative as the series: n / integrated autocorrelation.
double effective_count(std::span<const double> values);

// 95 % interval of the mean, from the effective count.
Range mean_interval(std::span<const double> values);

// Quantile 0.975 of Student's distribution for 1, 2, ... degrees of freedom.
double student_quantile(std::size_t degrees);

// 95 % interval of the mean of at least two values that do not depend on each other; few will do.
Range mean_interval_of_few(std::span<const double> values);

// 95 % interval of mean(above) / mean(below), whose elements belong together in pairs.
Range ratio_interval(std::span<const double> above, std::span<const double> below);

}  // namespace qanat
