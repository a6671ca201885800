#include "diagnose/work_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/check.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

// All pairs of so many points; longer series are thinned evenly, which costs little precision.
constexpr std::size_t kMaxPoints = 600;

double slope(std::span<const double> y, std::span<const double> x) {
  const std::size_t stride = std::max<std::size_t>(1, y.size() / kMaxPoints);
  std::vector<double> slopes;
  for (std::size_t i = 0; i < y.size(); i += stride) {
    for (std::size_t j = i + stride; j < y.size(); j += stride) {
      if (x[i] != x[j]) {
        slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
      }
    }
  }
  return slopes.empty() ? 0 : median(slopes);
}

double explained_variance(std::span<const double> y,
                          std::span<const double> x,
                          const WorkModel& model) {
  const double centre = mean(y);
  double total = 0;
  double left = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    total += std::pow(y[i] - centre, 2);
    left += std::pow(y[i] - model.predict(x[i]), 2);
  }
  return total > 0 ? std::max(0.0, 1 - left / total) : 0;
}

}  // namespace

WorkModel fit_work(std::span<const double> step_seconds, std::span<const double> frames) {
  QANAT_CHECK(step_seconds.size() == frames.size() && !frames.empty());
  WorkModel model{.per_frame = std::max(0.0, slope(step_seconds, frames))};
  std::vector<double> rest;
  rest.reserve(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    rest.push_back(step_seconds[i] - model.per_frame * frames[i]);
  }
  model.fixed = median(rest);
  model.r2 = explained_variance(step_seconds, frames, model);
  return model;
}

std::vector<double> adjust_for_work(std::span<const double> step_seconds,
                                    std::span<const double> frames,
                                    const WorkModel& model) {
  const double typical = mean(frames);
  std::vector<double> adjusted;
  adjusted.reserve(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    adjusted.push_back(step_seconds[i] + model.per_frame * (typical - frames[i]));
  }
  return adjusted;
}

}  // namespace qanat
