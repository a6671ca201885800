// What several rules need. See rules.h.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

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

// The part of the breakdown that a finding about it would give back; unknown: what is left over.
BreakdownPart part_of(const StepPart& part);
// s of a step, by BreakdownPart.
using PartSeconds = std::array<double, kNumBreakdownParts>;
PartSeconds seconds_by_part(const StepPhases& phases);

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

// A number or a switch of the run's configuration; nothing where the journal does not say, or the
// run decided by itself.
std::optional<double> configured(const RunSummary& summary, std::string_view key);
// Whether the key already has that value.
bool is_set(const RunSummary& summary, std::string_view key, std::string_view value);
// Utterances of a batch: as configured, else as most batches had them.
int batch_size_of(const RuleInput& input);

// Whether the run would record CUDA graphs if it were not told not to: one process, one GPU, a
// speech model.
bool can_record_graphs(const RunSummary& summary);

// A check that is a command and nothing else.
Message by_command(std::string command);

}  // namespace qanat
