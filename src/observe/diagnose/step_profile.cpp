#include "diagnose/step_profile.h"

#include <algorithm>
#include <cmath>

#include "diagnose/intervals.h"

namespace qanat {
namespace {

constexpr double kSameShare = 0.05;  // of the step: predicted and measured agree
constexpr std::size_t kMinProbed = 10;

// As a profile names them: what a step needs each time has a row of its own.
std::string_view row_of(std::string_view part) {
  const bool is_other = part == "retry" || part == "checkpoint" || part == "residual";
  return part == "wait" ? "data wait" : is_other ? "other" : part;
}

template <typename SecondsOf>
PhaseTimes phase_row(std::string_view name, const RunMeasures& m, const SecondsOf& seconds_of) {
  std::vector<double> seconds;
  seconds.reserve(m.steady.size());
  for (const StepRecord& step : m.steady) {
    seconds.push_back(seconds_of(step.phases).count());
  }
  PhaseTimes row{.name = std::string(name), .seconds = summarise_sample(seconds)};
  row.share = m.mean_step > 0 ? row.seconds.mean / m.mean_step : 0;
  return row;
}

std::vector<PhaseTimes> phase_times(const RunMeasures& m) {
  std::vector<PhaseTimes> rows;
  const auto add = [&](std::string_view name) {
    rows.push_back(phase_row(name, m, [name](const StepPhases& phases) {
      Seconds sum{0};
      for (const StepPart& part : kStepParts) {
        sum += row_of(part.name) == name ? phases.*part.time : Seconds{0};
      }
      return sum;
    }));
  };
  for (const StepPart& part : kStepParts) {
    const bool is_seen = part.kind != StepPartKind::held || m.breakdown.*part.time > Seconds{0};
    if (is_seen && row_of(part.name) != "other") {
      add(row_of(part.name));
    }
  }
  add("other");
  rows.push_back(phase_row("step", m, [](const StepPhases& phases) { return phases.total(); }));
  return rows;
}

// Steps whose batch is the one of the step before: it did not have to come.
RunSummary steps_with_kept_batches(const RunSummary& cached) {
  RunSummary kept;
  for (std::size_t i = 1; i < cached.steps.size(); ++i) {
    const StepRecord& step = cached.steps[i];
    const StepRecord& before = cached.steps[i - 1];
    if (step.epoch == before.epoch && step.batch == before.batch) {
      kept.add(step);
    }
  }
  return kept;
}

// Steps of the run as they would be with free data, and with `frames` of work in each.
std::vector<double> free_data_steps(const RunMeasures& m, double frames) {
  std::vector<double> seconds;
  seconds.reserve(m.steady.size());
  for (std::size_t i = 0; i < m.steady.size(); ++i) {
    const StepPhases& phases = m.steady[i].phases;
    const double left = (phases.total() - phases.wait - phases.transfer).count();
    seconds.push_back(left + m.busy_work.per_frame * (frames - m.padded[i]));
  }
  return seconds;
}

std::optional<CachedProbe> compare_with_probe(const RunMeasures& run, const RunSummary& cached) {
  const RunMeasures probed = measure_run(steps_with_kept_batches(cached));
  if (run.steady.size() < kMinProbed || probed.steady.size() < kMinProbed) {
    return std::nullopt;
  }
  const std::vector<double> predicted = free_data_steps(run, mean(probed.padded));
  CachedProbe probe{.steps = probed.steady.size(),
                    .predicted = mean(predicted),
                    .predicted_ci95 = mean_interval(predicted),
                    .measured = probed.mean_step,
                    .measured_ci95 = probed.mean_interval};
  const bool overlap = probe.predicted_ci95.low <= probe.measured_ci95.high &&
                       probe.measured_ci95.low <= probe.predicted_ci95.high;
  if (!overlap && std::abs(probe.error()) > kSameShare) {
    probe.outcome = probe.error() > 0 ? ProbeOutcome::cheaper : ProbeOutcome::dearer;
  }
  return probe;
}

}  // namespace

StepProfile profile_step(const RunSummary& run, const RunSummary* cached) {
  StepProfile profile{.diagnosis = diagnose_run(run)};
  if (!profile.diagnosis.measures.steady.empty()) {
    profile.phases = phase_times(profile.diagnosis.measures);
  }
  if (cached != nullptr) {
    profile.probe = compare_with_probe(profile.diagnosis.measures, *cached);
  }
  profile.recommended = recommend(profile.diagnosis.findings);
  return profile;
}

}  // namespace qanat
