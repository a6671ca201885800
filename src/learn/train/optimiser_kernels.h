// The arithmetic of an update over plain memory. Pure functions; the caller divides the work.
#pragma once

#include <cstdint>

namespace qanat {

struct AdamFactors {
  float gradient_scale = 1;  // gradients are multiplied by it first
  float beta1 = 0.9F;
  float beta2 = 0.98F;
  float step_size = 0;           // learning rate / (1 - beta1^t)
  float inverse_correction = 1;  // 1 / sqrt(1 - beta2^t)
  float epsilon = 1e-8F;
  float shrink = 1;  // 1 - learning rate * weight decay
};

// One run of values of an update; all of the same length.
struct AdamSpan {
  float* weight = nullptr;
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  const float* gradient = nullptr;
  std::int64_t count = 0;
};

void adam_update(const AdamSpan& span, const AdamFactors& factors);
// In double precision and an order that depends on `count` only.
double sum_of_squares(const float* values, std::int64_t count);

}  // namespace qanat
