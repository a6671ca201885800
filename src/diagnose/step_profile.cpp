#include "diagnose/step_profile.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "diagnose/intervals.h"

namespace qanat {
namespace {

constexpr double kSameShare = 0.05;  // of the step: predicted and measured agree
constexpr std::size_t kMinProbed = 10;

struct Phase {
  std::string_view name;
  Seconds (*of)(const StepPhases& phases);
};

constexpr std::array kPhases = {
    Phase{"data wait", [](const StepPhases& p) { return p.wait; }},
    Phase{"transfer", [](const StepPhases& p) { return p.transfer; }},
    Phase{"forward", [](const StepPhases& p) { return p.forward; }},
    Phase{"loss", [](const StepPhases& p) { return p.loss; }},
    Phase{"backward", [](const StepPhases& p) { return p.backward; }},
    Phase{"optimizer", [](const StepPhases& p) { return p.optimizer; }},
    Phase{"other", [](const StepPhases& p) { return p.retry + p.checkpoint + p.residual; }},
    Phase{"step", [](const StepPhases& p) { return p.total(); }}};

std::vector<PhaseTimes> phase_times(const RunMeasures& m) {
  std::vector<PhaseTimes> rows;
  for (const Phase& phase : kPhases) {
    std::vector<double> seconds;
    seconds.reserve(m.steady.size());
    for (const StepRecord& step : m.steady) {
      seconds.push_back(phase.of(step.phases).count());
    }
    PhaseTimes row{.name = std::string(phase.name), .seconds = summarise_sample(seconds)};
    row.share = m.mean_step > 0 ? row.seconds.mean / m.mean_step : 0;
    rows.push_back(std::move(row));
  }
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

std::string_view to_string(ProbeOutcome outcome) {
  switch (outcome) {
    case ProbeOutcome::confirmed:
      return "confirmed";
    case ProbeOutcome::cheaper:
      return "cheaper";
    case ProbeOutcome::dearer:
      return "dearer";
  }
  return "unknown";
}

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
