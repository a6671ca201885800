// Is a run faster or slower than another one? By throughput of speech, with its uncertainty.
#pragma once

#include "diagnose/run_measures.h"
#include "diagnose/spread_change.h"

namespace qanat {

enum class Change { faster, slower, none };

struct RunComparison {
  double ratio = 1;  // frames per second of the new run over those of the old, without padding
  Range ci95{.low = 1, .high = 1};
  Change change = Change::none;
  SpreadChange spread{};  // of steps of equal work
};

// A change counts when even the near end of its interval is further than this from 1.
inline constexpr double kTolerance = 0.03;

RunComparison compare_runs(const RunMeasures& now, const RunMeasures& before);

}  // namespace qanat
