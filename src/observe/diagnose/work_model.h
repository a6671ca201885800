// What a step costs by the work in it: t = fixed + per_frame * frames, fitted so that stalls do
// not bend it (Theil-Sen).
//
// Batches of speech differ in length, and so do their steps: without this, a perfect run looks
// unsteady. All tests of spread and period work on the adjusted series.
#pragma once

#include <span>
#include <vector>

namespace qanat {

struct WorkModel {
  double fixed = 0;      // s per step
  double per_frame = 0;  // s
  double r2 = 0;         // share of the variance that the work explains

  double predict(double frames) const { return fixed + per_frame * frames; }
};

// `frames` are the padded frames of each step. Steps of equal work give a flat model.
WorkModel fit_work(std::span<const double> step_seconds, std::span<const double> frames);

// The times as they would be if every step had the mean work.
std::vector<double> adjust_for_work(std::span<const double> step_seconds,
                                    std::span<const double> frames,
                                    const WorkModel& model);

}  // namespace qanat
