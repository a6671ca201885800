// What several rules need. See rules.h.
#pragma once

#include <optional>
#include <string>

#include "diagnose/rules.h"

namespace qanat {

// The gain if `share` of the step were gone, known to within a factor: its interval reaches from
// `low` to `high` times the share. Nothing gained (and no step time) when there are no steps.
struct ShareOfStep {
  double share = 0;
  double low = 0.5;
  double high = 1.5;
};
Gain gain_of_share(const RunMeasures& measures, ShareOfStep saved, GainMethod method);
// For what is worth knowing but was not measured: the gain of a finding that names none.
Gain no_gain(const RunMeasures& measures);

// The device waits long enough for data that the cause is worth looking for.
bool waits_for_data(const RunMeasures& measures);
Gain gain_without_waiting(const RunMeasures& measures);

// The GPUs, or why a rule cannot say anything about them.
Reading<GpuSetup> gpus_of(const RunSummary& summary);

// Data wait of a step, in seconds.
double wait_of(const StepRecord& step);

// A rule is skipped because something could not be read.
RuleOutcome skipped_because(const std::string& why);
template <typename T>
RuleOutcome skipped_for(const Reading<T>& reading) {
  return skipped_because(reading.why_not());
}

// Fixes. A setting, with what a step would take then; precomputed features instead of audio;
// something to do to the machine.
Fix set_key(std::string key, std::string value, std::optional<double> predicted = std::nullopt);
Fix set_key(std::string key, int value, std::optional<double> predicted = std::nullopt);
Fix precompute_features(std::optional<double> predicted = std::nullopt);
Fix do_this(Message what, std::optional<double> predicted = std::nullopt);

// A check that is a command and nothing else.
Message by_command(std::string command);

}  // namespace qanat
