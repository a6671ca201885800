#include "diagnose/rules_dual.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "diagnose/rule_parts.h"
#include "diagnose/rules.h"

namespace qanat {
namespace {

constexpr double kOverloaded = 1.05;  // data side over model side: the model device waits for it
constexpr double kIdleDataDevice = 0.10;

// Batch time now and then, as a gain without an interval of its own: the sides are means.
Gain gain_to(const DualProfile& profile, double after, const char* method) {
  const double now = profile.dual.stages.train + profile.dual.stages.gap;
  const double speedup = after > 0 ? now / after : 1;
  return {.step_now = now,
          .step_if_fixed = after,
          .speedup = speedup,
          .ci95 = {.low = speedup, .high = speedup},
          .method = method};
}

RuleOutcome balance(const DualProfile& profile) {
  const double data = profile.data_per_batch;
  const double train = profile.train_per_batch;
  const double busy = profile.dual.data_busy.value_or(0);
  if (data <= kOverloaded * train) {
    return {.passed = fmt::format("data side {:.1f} ms, model side {:.1f} ms a batch; the data "
                                  "device is busy {:.0f} % of the time{}",
                                  1000 * data,
                                  1000 * train,
                                  100 * busy,
                                  busy < kIdleDataDevice ? " and could do something else" : "")};
  }
  Finding finding{.id = "MG004",
                  .title = "the data side takes longer than the model side",
                  .evidence = {{"data_s_per_batch", data, "s"},
                               {"train_s_per_batch", train, "s"},
                               {"data_device_busy_share", busy, "1"}},
                  .gain = gain_to(profile, train, "sides"),
                  .fixes = {{.key = "data.preprocessing_mode",
                             .flag = "--set data.preprocessing_mode=precompute (after qanat "
                                     "precompute)"}},
                  .verify = "qanat profile dual with the flag",
                  .may_be_wrong = "features and loader share cores with the model here"};
  finding.severity = severity_of(finding.gain);
  return {.finding = std::move(finding)};
}

RuleOutcome serialised(const DualProfile& profile) {
  if (profile.efficiency >= kWantedEfficiency) {
    return {.passed = fmt::format("{:.1f} % of the ideal, the longer of the two sides",
                                  100 * profile.efficiency)};
  }
  Finding finding{
      .id = "MG005",
      .title = fmt::format("the two devices wait for each other: {:.0f} % of the ideal",
                           100 * profile.efficiency),
      .evidence = {{"overlap", profile.overlap, "1"},
                   {"ideal_s_per_batch", profile.ideal, "s"},
                   {"gap_s_per_batch", profile.dual.stages.gap, "s"}},
      .gain = gain_to(profile, profile.ideal, "ideal"),
      .fixes = {{.key = "data.prefetch_buffer_size", .flag = "--prefetch-buffer-size 6"}},
      .verify = "qanat profile dual with the flag",
      .may_be_wrong = "both devices share memory or cores, and slow each other down"};
  finding.severity = severity_of(finding.gain);
  return {.finding = std::move(finding)};
}

RuleOutcome slower_than_single(const DualProfile& profile) {
  const RunComparison& seen = profile.comparison;
  if (seen.change != Change::slower) {
    return {.passed = fmt::format("two devices deliver {:.3f}x of what one does [{:.3f}, {:.3f}]",
                                  seen.ratio,
                                  seen.ci95.low,
                                  seen.ci95.high)};
  }
  const double now = profile.dual.measures.mean_step;
  Finding finding{
      .id = "MG006",
      .title = "one device alone is faster than the two",
      .evidence = {{"dual_over_single", seen.ratio, "1"}},
      .gain = {.step_now = now,
               .step_if_fixed = now * seen.ratio,
               .speedup = 1 / seen.ratio,
               .ci95 = {.low = 1 / seen.ci95.high, .high = 1 / seen.ci95.low},
               .method = "measured"},
      .fixes = {{.key = "data.data_gpu", .flag = "--set data.data_gpu=none (and no --model-gpu)"}},
      .verify = "qanat profile dual",
      .may_be_wrong = "the machine was busy with something else during one of the modes"};
  finding.severity = severity_of(finding.gain);
  return {.finding = std::move(finding)};
}

}  // namespace

std::span<const DualRule> dual_rules() {
  static constexpr auto kRules = std::to_array<DualRule>({
      {"MG004", "one of two devices does more than its part", balance},
      {"MG005", "two devices that work one after the other", serialised},
      {"MG006", "two devices that are slower than one", slower_than_single},
  });
  return kRules;
}

void apply_dual_rules(DualProfile& profile) {
  Diagnosis& diagnosis = profile.diagnosis;
  for (const DualRule& rule : dual_rules()) {
    RuleOutcome outcome = rule.decide(profile);
    if (outcome.finding) {
      diagnosis.findings.push_back(std::move(*outcome.finding));
    } else if (outcome.passed) {
      diagnosis.passed.push_back({.id = std::string(rule.id), .what = *outcome.passed});
    } else {
      diagnosis.skipped.push_back(
          {.id = std::string(rule.id), .reason = outcome.skipped.value_or("not said")});
    }
  }
  std::ranges::stable_sort(diagnosis.findings, std::greater{}, saved_share);
}

}  // namespace qanat
