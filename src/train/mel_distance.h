// How far two spectrograms are apart when their timing may differ: dynamic time warping.
#pragma once

#include <torch/types.h>

namespace qanat {

// Both f32 [frames, bins] in host memory, at least one frame each. The mean, along the cheapest
// path that goes forward in both by at most one frame a step, of the mean absolute difference
// over the bins.
double warped_distance(const torch::Tensor& a, const torch::Tensor& b);

}  // namespace qanat
