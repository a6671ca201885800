#include "diagnose/rules_compute.h"

#include <algorithm>

#include <fmt/format.h>

namespace qanat {
namespace {

constexpr double kLargeFixedShare = 0.30;
constexpr double kLargeOptimizerShare = 0.25;

double saving_of(const StepRecord& step) {
  return step.phases.checkpoint.count();
}

double retry_of(const StepRecord& step) {
  return step.phases.retry.count();
}

// Lengths have to differ for a cost per frame to be told from a fixed one.
bool work_varies(const RunMeasures& m) {
  return quantile(m.padded, 0.95) > 1.3 * quantile(m.padded, 0.05);
}

}  // namespace

RuleOutcome fixed_cost(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (!work_varies(m)) {
    return {.skipped = "the batches are too alike to tell a fixed cost from the cost of work"};
  }
  const double share = std::max(0.0, m.busy_work.fixed) / m.mean_step;
  if (share < kLargeFixedShare || m.busy_work.r2 < 0.5) {
    return {.passed = fmt::format("{:.0f} % of a step does not depend on its frames", 100 * share)};
  }
  // Twice the batch pays the fixed part once for twice the work.
  const double doubled = m.mean_step - m.busy_work.fixed / 2;
  Gain gain{.step_now = m.mean_step,
            .step_if_fixed = doubled,
            .speedup = m.mean_step / doubled,
            .method = "work model, per utterance"};
  gain.ci95 = {.low = 1 + (gain.speedup - 1) * 0.7, .high = 1 + (gain.speedup - 1) * 1.2};
  return {
      .finding = Finding{
          .id = "CMP001",
          .title = fmt::format("{:.0f} % of a step is overhead that larger batches would share",
                               100 * share),
          .severity = std::min(severity_of(gain), FindingSeverity::warn),
          .evidence = {{.metric = "fixed_seconds", .value = m.busy_work.fixed, .unit = "s"},
                       {.metric = "work_r2", .value = m.busy_work.r2, .unit = "1"}},
          .gain = gain,
          .fixes = {{.key = "data.batch_size",
                     .flag = fmt::format("--batch-size {}", std::int64_t{2} * m.steady.back().rows),
                     .predicted_step = std::nullopt}},
          .verify = "qanat profile step --batch-size N",
          .may_be_wrong = "a larger batch changes training; learning rate may need to follow",
          .part = LedgerPart::work}};
}

RuleOutcome optimizer_share(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double share = m.share(m.ledger.optimizer);
  if (share < kLargeOptimizerShare) {
    return {.passed = fmt::format("the optimizer takes {:.1f} % of a step", 100 * share)};
  }
  const double saved = m.ledger.optimizer.count() / 2;
  Gain gain{.step_now = m.mean_step,
            .step_if_fixed = m.mean_step - saved,
            .speedup = m.mean_step / (m.mean_step - saved),
            .method = "ledger, per utterance"};
  gain.ci95 = {.low = 1 + (gain.speedup - 1) * 0.7, .high = 1 + (gain.speedup - 1) * 1.2};
  return {.finding =
              Finding{.id = "CMP006",
                      .title = fmt::format("the optimizer takes {:.0f} % of a step", 100 * share),
                      .severity = std::min(severity_of(gain), FindingSeverity::warn),
                      .evidence = {{.metric = "optimizer_share", .value = share, .unit = "1"}},
                      .gain = gain,
                      .fixes = {{.key = "training.gradient_accumulation_steps",
                                 .flag = "--grad-accum 2",
                                 .predicted_step = std::nullopt}},
                      .verify = "qanat profile step --grad-accum 2",
                      .may_be_wrong = "accumulating makes updates rarer, which changes training",
                      .part = LedgerPart::work}};
}

RuleOutcome saving_exposed(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double share = m.share(m.ledger.checkpoint);
  if (share < kWorthMentioning) {
    return {.passed = fmt::format("saving and logging take {:.1f} % of the time", 100 * share)};
  }
  const Gain gain = gain_without(m, saving_of);
  return {
      .finding = Finding{
          .id = "CMP007",
          .title = fmt::format("the device waits {:.0f} % of the time for saving, validating or "
                               "logging",
                               100 * share),
          .severity = severity_of(gain),
          .evidence = {{.metric = "checkpoint_share", .value = share, .unit = "1"}},
          .gain = gain,
          .fixes = {{.key = "training.save_every",
                     .flag = "--set training.save_every=2000",
                     .predicted_step = gain.step_if_fixed}},
          .verify = "run again with the flag, then: qanat report JOURNAL --baseline OLD",
          .may_be_wrong = "rarer checkpoints lose more when the machine fails",
          .part = LedgerPart::saving}};
}

RuleOutcome memory_retries(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  // The moments between two events of a step that went well add up to next to nothing.
  const auto retried = std::ranges::count_if(m.steady, [](const StepRecord& step) {
    return step.phases.retry > 0.01 * step.phases.total();
  });
  if (retried == 0) {
    return {.passed = "no step had to be done again for want of memory"};
  }
  const Gain gain = gain_without(m, retry_of);
  return {
      .finding = Finding{
          .id = "CMP008",
          .title = fmt::format(
              "{} of {} steps ran out of memory and were done in parts", retried, m.steady.size()),
          .severity = std::max(severity_of(gain), FindingSeverity::warn),
          .evidence = {{.metric = "retry_share", .value = m.share(m.ledger.retry), .unit = "1"}},
          .gain = gain,
          .fixes = {{.key = "data.batch_size",
                     .flag = fmt::format("--batch-size {}", std::max(1, m.steady.back().rows / 2)),
                     .predicted_step = std::nullopt}},
          .verify = "qanat profile step --batch-size N",
          .may_be_wrong = {},
          .part = LedgerPart::retry}};
}

}  // namespace qanat
