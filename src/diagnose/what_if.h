// How long a step would take with other workers, another buffer or faster rows: the recorded times
// of the run, run again (diagnose/replay.h).
#pragma once

#include <optional>

#include "diagnose/rules.h"

namespace qanat {

// What is not said stays as it was.
struct WhatIf {
  std::optional<int> workers = std::nullopt;
  std::optional<int> window = std::nullopt;           // batches ahead of the consumer
  double work = 1;                                    // of the recorded times of filling a batch
  std::optional<double> longest_work = std::nullopt;  // s of workers that a batch takes at most
};

// s per step; nothing when the journal does not hold the timelines of its batches.
std::optional<double> predict_step(const RuleInput& input, const WhatIf& change);

// The gain of a step of `predicted` seconds, as uncertain as the waiting it takes away.
Gain gain_of_prediction(const RunMeasures& measures, double predicted);
// Without any waiting for data.
Gain gain_if_data_were_free(const RunMeasures& measures);

// The fewest workers, above those there are, that leave next to no waiting; `most` when none do.
int workers_wanted(const RuleInput& input, int most);
// The smallest window that does, in doublings; nothing when none up to 64 windows does better.
std::optional<int> window_wanted(const RuleInput& input);

}  // namespace qanat
