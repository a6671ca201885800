// The figures of a run that rules decide on, computed once: steady part, breakdown, work, spread,
// period.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/detrend.h"
#include "diagnose/finding.h"
#include "diagnose/loader_use.h"
#include "diagnose/periodicity.h"
#include "diagnose/rank_measures.h"
#include "diagnose/run_summary.h"
#include "diagnose/spread.h"
#include "diagnose/warm_up.h"
#include "diagnose/work_model.h"
#include "metrics/order_statistics.h"
#include "metrics/step_record.h"

namespace qanat {

struct RunMeasures {
  std::optional<std::string> name{};  // of the run, as people call it
  std::optional<std::string> task{};  // that was trained, "speech" or "vocoder"; absent: not known
  std::optional<std::string> ending{};  // of the run: "completed"; absent: it runs, or is unknown
  std::size_t steps = 0;                // all that were looked at
  WarmUp warm_up{};
  std::vector<StepRecord> steady{};  // after the warm-up
  std::vector<double> seconds{};     // of the steady steps
  std::vector<double> padded{};      // frames, padding included
  std::vector<double> adjusted{};    // seconds, for equal work
  StepPhases breakdown{};            // mean of the steady steps
  double mean_step = 0;              // s
  Range mean_interval{};             // 95 %
  double effective_steps = 0;
  WorkModel work{};       // of the whole step
  WorkModel busy_work{};  // of the device's own work
  Spread spread{};        // of the adjusted times
  Detrended trend{};
  Periodicity periodicity{};
  double frames_per_second = 0;  // without padding
  double padding_share = 0;
  std::optional<LoaderUse> loader{};      // absent: the journal does not say
  std::optional<double> journal_share{};  // of the run's time, spent on journalling
  std::optional<RankComparison> ranks{};  // of a run of several

  double share(Seconds part) const { return mean_step > 0 ? part.count() / mean_step : 0; }
};

// Fewer than this many steady steps are too few to judge by.
inline constexpr std::size_t kMinSteps = 20;

RunMeasures measure_run(const RunSummary& summary);

// The gain if the part of each step that `part` returns were gone; with its 95 % interval.
Gain gain_without(const RunMeasures& measures, double (*part)(const StepRecord&));

}  // namespace qanat
