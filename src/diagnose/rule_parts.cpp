#include "diagnose/rule_parts.h"

#include <algorithm>
#include <utility>

namespace qanat {
namespace {

double speedup_without(double share) {
  return 1 / (1 - std::clamp(share, 0.0, 0.95));
}

}  // namespace

double wait_of(const StepRecord& step) {
  return step.phases.wait.count();
}

double saved_share(const Finding& finding) {
  return finding.gain.step_now > 0 ? 1 - finding.gain.step_if_fixed / finding.gain.step_now : 0;
}

Gain gain_of_share(const RunMeasures& measures, ShareOfStep won, std::string method) {
  const double now = measures.mean_step;
  const double speedup = speedup_without(won.share);
  return {.step_now = now,
          .step_if_fixed = now / speedup,
          .speedup = speedup,
          .ci95 = {.low = speedup_without(won.low * won.share),
                   .high = speedup_without(won.high * won.share)},
          .method = std::move(method)};
}

Gain no_gain(const RunMeasures& measures) {
  return {.step_now = measures.mean_step, .step_if_fixed = measures.mean_step, .method = "none"};
}

bool waits_for_data(const RunMeasures& measures) {
  return measures.share(measures.ledger.wait) >= kWorthMentioning;
}

Gain gain_without_waiting(const RunMeasures& measures) {
  return gain_without(measures, wait_of);
}

std::string verify_command(const std::string& id) {
  return "qanat diagnose --verify " + id;
}

// The GPUs, or why a rule cannot say anything about them.
Reading<GpuSetup> gpus_of(const RunTrace& trace) {
  return trace.gpus ? trace.gpus->setup
                    : Reading<GpuSetup>::none("the journal has no line about GPUs");
}

Fix system_fix(std::string what) {
  return {.key = std::string(kSystemFix), .flag = std::move(what)};
}

}  // namespace qanat
