#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace qanat {
namespace {

struct SizeDefaults {
  double peak;
  std::int64_t warmup;
};

SizeDefaults defaults(ModelSize size) {
  switch (size) {
    case ModelSize::nano:
      return {.peak = 2e-3, .warmup = 40};
    case ModelSize::tiny:
      return {.peak = 1e-3, .warmup = 1000};
    case ModelSize::small:
      return {.peak = 7e-4, .warmup = 2000};
    case ModelSize::normal:
      return {.peak = 5e-4, .warmup = 4000};
    case ModelSize::big:
      return {.peak = 3e-4, .warmup = 4000};
  }
  return {.peak = 1e-3, .warmup = 1000};
}

}  // namespace

double Schedule::learning_rate(std::int64_t step) const {
  if (step < warmup) {
    return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  }
  const auto length = static_cast<double>(std::max<std::int64_t>(1, total - warmup));
  const double done = std::min(1.0, static_cast<double>(step - warmup) / length);
  return peak * (floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * done)));
}

Schedule make_schedule(const ScheduleRequest& request) {
  const SizeDefaults by_size = defaults(request.size);
  const std::int64_t tenth = std::max<std::int64_t>(1, request.total / 10);
  return {.peak = request.learning_rate.value_or(by_size.peak),
          .warmup = request.warmup.value_or(std::min(by_size.warmup, tenth)),
          .total = request.total};
}

std::int64_t default_binarisation_start(ModelSize size) {
  return defaults(size).warmup * 3 / 2;
}

}  // namespace qanat
