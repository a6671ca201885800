#include "train/optimiser_kernels.h"

#include <array>
#include <cmath>

// The compiler makes a version for each instruction set and chooses when the program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define QANAT_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define QANAT_WIDE
#endif

namespace qanat {

QANAT_WIDE void adam_update(const AdamSpan& span, const AdamFactors& factors) {
  // Copies: the compiler cannot know that the arrays do not overlap them.
  const AdamFactors f = factors;
  float* __restrict weight = span.weight;
  float* __restrict first = span.first_moment;
  float* __restrict second = span.second_moment;
  const float* __restrict gradient = span.gradient;
  const std::int64_t count = span.count;
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] * f.gradient_scale;
    first[i] = f.beta1 * first[i] + (1 - f.beta1) * g;
    second[i] = f.beta2 * second[i] + (1 - f.beta2) * g * g;
    const float root = std::sqrt(second[i]) * f.inverse_correction + f.epsilon;
    weight[i] = weight[i] * f.shrink - f.step_size * first[i] / root;
  }
}

QANAT_WIDE double sum_of_squares(const float* values, std::int64_t count) {
  constexpr std::int64_t kLanes = 8;
  std::array<double, kLanes> sums{};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(values[i + lane]);
      sums[static_cast<std::size_t>(lane)] += value * value;
    }
  }
  double rest = 0;
  for (; i < count; ++i) {
    rest += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  for (const double sum : sums) {
    rest += sum;
  }
  return rest;
}

}  // namespace qanat
