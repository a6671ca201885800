#include "diagnose/rule_parts.h"

#include <algorithm>
#include <utility>

#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

double speedup_without(double share) {
  return 1 / (1 - std::clamp(share, 0.0, 0.95));
}

}  // namespace

double wait_of(const StepRecord& step) {
  return step.phases.wait.count();
}

Gain gain_of_share(const RunMeasures& measures, ShareOfStep saved, GainMethod method) {
  const double now = measures.mean_step;
  const double speedup = speedup_without(saved.share);
  return {.step_now = now,
          .step_if_fixed = now / speedup,
          .speedup = speedup,
          .ci95 = {.low = speedup_without(saved.low * saved.share),
                   .high = speedup_without(saved.high * saved.share)},
          .method = method};
}

Gain no_gain(const RunMeasures& measures) {
  return {.step_now = measures.mean_step, .step_if_fixed = measures.mean_step};
}

bool waits_for_data(const RunMeasures& measures) {
  return measures.share(measures.breakdown.wait) >= kMinReportableGain;
}

Gain gain_without_waiting(const RunMeasures& measures) {
  return gain_without(measures, wait_of);
}

Reading<GpuSetup> gpus_of(const RunSummary& summary) {
  return summary.gpus ? summary.gpus->setup
                      : Reading<GpuSetup>::none("the journal has no line about GPUs");
}

RuleOutcome skipped_because(const std::string& why) {
  return skipped(msg::skip_unreadable{.why = why});
}

Fix set_key(std::string key, std::string value, std::optional<double> predicted) {
  return {.key = std::move(key), .value = std::move(value), .predicted_step = predicted};
}

Fix set_key(std::string key, int value, std::optional<double> predicted) {
  return set_key(std::move(key), std::to_string(value), predicted);
}

Fix precompute_features(std::optional<double> predicted) {
  Fix fix = set_key("data.preprocessing_mode", "precompute", predicted);
  fix.precondition = msg::after_precompute{};
  return fix;
}

Fix do_this(Message what, std::optional<double> predicted) {
  return {.predicted_step = predicted, .action = std::move(what)};
}

Message by_command(std::string command) {
  return msg::verbatim_text{.text = std::move(command)};
}

}  // namespace qanat
