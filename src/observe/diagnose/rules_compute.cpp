// Rules about the step itself: what the device does with its time.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "diagnose/gain.h"
#include "diagnose/intervals.h"
#include "diagnose/loop_use.h"
#include "diagnose/rule_parts.h"
#include "locale/messages/findings_compute.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

constexpr double kLargeFixedShare = 0.30;
constexpr double kLargeLaunchShare = 0.05;
constexpr double kLargeOptimizerShare = 0.25;
constexpr int kRarer = 4;  // times as many steps between saves
constexpr double kLargeShareOfSaving =
    0.5;                             // of the time: then it is what happens every so many steps
constexpr double kSaveLength = 0.1;  // of the longest
constexpr Metric kLaunchShare{"launch_share"};
constexpr Metric kSkippedShare{"skipped_share"};

double saving_of(const StepRecord& step) {
  return step.phases.checkpoint.count();
}

double retry_of(const StepRecord& step) {
  return step.phases.retry.count();
}

double skipped_of(const StepRecord& step) {
  return step.skipped ? step.phases.total().count() : 0;
}

// Lengths have to differ for a cost per frame to be told from a fixed one.
bool work_varies(const RunMeasures& m) {
  return quantile(m.padded, 0.95) > 1.3 * quantile(m.padded, 0.05);
}

// The gain of a step that is `saved` seconds shorter, as uncertain as the models behind it.
Gain gain_of_saving(const RunMeasures& m, double saved, GainMethod method) {
  return make_gain(m.mean_step, saving_within(saved, 0.7, 1.2), method);
}

RuleOutcome fixed_cost(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (!work_varies(m)) {
    return skipped(msg::cmp001_unknown{});
  }
  const double share = std::max(0.0, m.busy_work.fixed) / m.mean_step;
  if (share < kLargeFixedShare || m.busy_work.r2 < 0.5) {
    return passed(msg::cmp001_ok{.share = in_percent(share)});
  }
  // Twice the batch pays the fixed part once for twice the work.
  const Gain gain = gain_of_saving(m, m.busy_work.fixed / 2, GainMethod::work_model_per_utterance);
  return Finding{
      .title = msg::cmp001_title{.share = in_percent(share)},
      .severity = std::min(severity_of(gain), FindingSeverity::warn),
      .evidence = {{metric::fixed_seconds, m.busy_work.fixed}, {metric::work_r2, m.busy_work.r2}},
      .gain = gain,
      .fixes = {set_key("data.batch_size", 2 * batch_size_of(input))},
      .verify = by_command("qanat profile step --batch-size N"),
      .may_be_wrong = msg::cmp001_wrong_if{},
      .part = BreakdownPart::work};
}

// Recorded graphs, where the run could use them and was told not to; and larger batches.
std::vector<Fix> fewer_launches(const RuleInput& input) {
  std::vector<Fix> fixes;
  if (can_record_graphs(input.summary)) {
    fixes.push_back(set_key("training.enable_graph_mode", "true"));
  }
  fixes.push_back(set_key("data.batch_size", 2 * batch_size_of(input)));
  return fixes;
}

// Half of it stays: a graph, too, is launched, and a larger batch has as many kernels.
RuleOutcome held_by_launches(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double share = m.share(m.breakdown.launch);
  if (share < kLargeLaunchShare) {
    return passed(msg::cmp004_ok{.share = in_percent(share, 1)});
  }
  const Gain gain = gain_of_saving(m, m.breakdown.launch.count() / 2, GainMethod::breakdown);
  return Finding{.title = msg::cmp004_title{.share = in_percent(share)},
                 .severity = std::min(severity_of(gain), FindingSeverity::warn),
                 .evidence = {{kLaunchShare, share}},
                 .gain = gain,
                 .fixes = fewer_launches(input),
                 .verify = msg::verify_rerun{},
                 .may_be_wrong = msg::cmp004_wrong_if{},
                 .part = BreakdownPart::launch};
}

RuleOutcome optimizer_share(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  // What a loop does between its backward pass and the update is CMP010's.
  const double share = m.share(m.breakdown.optimizer) - share_of_place(input, kBeforeUpdate);
  if (share < kLargeOptimizerShare) {
    return passed(msg::cmp006_title{.share = in_percent(share, 1)});
  }
  const Gain gain = gain_of_saving(m, m.mean_step * share / 2, GainMethod::breakdown_per_utterance);
  const int batches = 2 * std::clamp(m.steady.back().batches, 1, 1024);
  return Finding{.title = msg::cmp006_title{.share = in_percent(share)},
                 .severity = std::min(severity_of(gain), FindingSeverity::warn),
                 .evidence = {{metric::optimizer_share, share}},
                 .gain = gain,
                 .fixes = {set_key("training.gradient_accumulation_steps", batches)},
                 .verify = by_command(fmt::format("qanat profile step --grad-accum {}", batches)),
                 .may_be_wrong = msg::cmp006_wrong_if{},
                 .part = BreakdownPart::work};
}

// The long ones: what is short beside the longest is logging.
std::vector<double> lengths_of_saves(const RunMeasures& m) {
  const double longest = saving_of(*std::ranges::max_element(m.steady, {}, saving_of));
  std::vector<double> lengths;
  for (const StepRecord& step : m.steady) {
    if (saving_of(step) >= kSaveLength * longest) {
      lengths.push_back(saving_of(step));
    }
  }
  return lengths;
}

// Saving happens when it is asked for, not by chance: how long it takes is all that is uncertain,
// however rare it is.
Saving seconds_of_saves(const RunMeasures& m) {
  const double all = m.breakdown.checkpoint.count();
  const std::vector<double> lengths = lengths_of_saves(m);
  if (lengths.size() < 2) {
    return saving_within(all, 0, 2);
  }
  const double per_step =
      static_cast<double>(lengths.size()) / static_cast<double>(m.steady.size());
  const double typical = mean(lengths);
  const Range length = mean_interval_of_few(lengths);
  return {.seconds = all,
          .range = {.low = all + per_step * (length.low - typical),
                    .high = all + per_step * (length.high - typical)}};
}

// The cadence in whose steps the device was held up, and how much of that time lies there.
struct HeldUpBy {
  std::string key{};
  std::int64_t every = 0;  // steps
  double share = 0;
};

HeldUpBy held_up_by(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const auto steps = static_cast<double>(m.steady.size());
  const double all = m.breakdown.checkpoint.count() * steps;
  HeldUpBy most;
  double most_excess = 0;
  for (const auto& [key, every] : input.summary.run.cadences) {
    if (every < 1 || key.find('.') == std::string::npos || all <= 0) {
      continue;
    }
    double seconds = 0;
    double count = 0;
    for (const StepRecord& step : m.steady) {
      // A save shows in the step that ends with it or in the one behind it.
      const bool is_there = every <= 2 || (step.step + 1) % every <= 1;
      seconds += is_there ? saving_of(step) : 0;
      count += is_there ? 1 : 0;
    }
    const double excess = seconds / all - count / steps;  // above what chance puts there
    if (excess > most_excess) {
      most_excess = excess;
      most = {.key = key, .every = every, .share = std::clamp(seconds / all, 0.0, 1.0)};
    }
  }
  return most;
}

RuleOutcome saving_exposed(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double share = m.share(m.breakdown.checkpoint);
  if (share < kMinReportableGain) {
    return passed(msg::cmp007_ok{.share = in_percent(share, 1)});
  }
  // From N steps to kRarer times N, all but one of as many saves are gone.
  const HeldUpBy by = held_up_by(input);
  const bool is_known = by.share >= kLargeShareOfSaving;
  const double gone = is_known ? by.share * (1 - 1.0 / kRarer) : 1 - 1.0 / kRarer;
  Saving saving = seconds_of_saves(m);
  saving = {.seconds = gone * saving.seconds,
            .range = {.low = gone * saving.range.low, .high = gone * saving.range.high}};
  const Gain gain = make_gain(m.mean_step, saving, GainMethod::breakdown);
  Finding finding{.title = msg::cmp007_title{.share = in_percent(share)},
                  .severity = severity_of(gain),
                  .evidence = {{metric::checkpoint_share, share}},
                  .gain = gain,
                  .verify = msg::verify_rerun{},
                  .may_be_wrong = msg::cmp007_wrong_if{},
                  .part = BreakdownPart::saving};
  if (is_known) {
    finding.fixes = {set_key(by.key, std::to_string(kRarer * by.every), gain.step_if_fixed)};
  } else if (input.summary.trained_by == TrainedBy::torch) {
    finding.fixes = {set_key("training.save_every", kRarer, gain.step_if_fixed)};
  }
  return finding;
}

RuleOutcome memory_retries(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  // Time alone does not tell: on a busy machine the moment between two events of a step that went
  // well may last.
  const std::int64_t slow = std::ranges::count_if(m.steady, [](const StepRecord& step) {
    return step.phases.retry > 0.01 * step.phases.total();
  });
  const std::int64_t retried = std::min(slow, input.summary.out_of_memory);
  if (retried == 0) {
    return passed(msg::cmp008_ok{});
  }
  const Gain gain = gain_without(m, retry_of);
  return Finding{.title = msg::cmp008_title{.steps = retried, .all = m.steady.size()},
                 .severity = std::max(severity_of(gain), FindingSeverity::warn),
                 .evidence = {{metric::retry_share, m.share(m.breakdown.retry)}},
                 .gain = gain,
                 .fixes = {set_key("data.batch_size", std::max(1, batch_size_of(input) / 2))},
                 .verify = by_command("qanat profile step --batch-size N"),
                 .part = BreakdownPart::retry};
}

// Half precision overflows first where it was asked for; else the rate is too high for the model.
std::vector<Fix> fewer_skipped(const RuleInput& input, const Gain& gain) {
  const nlohmann::json::json_pointer mixed("/training/mixed_precision");
  const double rate =
      std::ranges::max(input.measures.steady, {}, &StepRecord::learning_rate).learning_rate;
  std::vector<Fix> fixes;
  if (input.summary.config.contains(mixed) && input.summary.config.at(mixed) == true) {
    fixes.push_back(set_key("training.mixed_precision", "false"));
  }
  if (rate > 0) {  // known
    fixes.push_back(
        set_key("training.learning_rate", fmt::format("{:.2g}", rate / 2), gain.step_if_fixed));
  }
  return fixes;
}

RuleOutcome skipped_updates(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const auto skips = std::ranges::count(m.steady, true, &StepRecord::skipped);
  const double share = static_cast<double>(skips) / static_cast<double>(m.steady.size());
  if (share < kMinReportableGain) {
    return passed(msg::cmp009_title{.steps = skips, .all = m.steady.size()});
  }
  const Gain gain = gain_without(m, skipped_of);
  return Finding{.title = msg::cmp009_title{.steps = skips, .all = m.steady.size()},
                 .severity = severity_of(gain),
                 .evidence = {{kSkippedShare, share}},
                 .gain = gain,
                 .fixes = fewer_skipped(input, gain),
                 .verify = msg::verify_rerun{},
                 .may_be_wrong = msg::cmp009_wrong_if{},
                 .part = BreakdownPart::work};
}

constexpr Rule compute_rule(std::string_view id,
                            RuleText text,
                            RuleOutcome (*judge)(const RuleInput&),
                            VerdictKind verdict) {
  return {.id = id,
          .category = RuleCategory::compute,
          .text = text,
          .judge = judge,
          .verdict = verdict};
}

}  // namespace

std::span<const Rule> compute_rules() {
  static constexpr std::array kRules = {
      compute_rule("CMP001",
                   text_of<msg::cmp001_looks_for, msg::cmp001_means, msg::cmp001_remedy>(),
                   fixed_cost,
                   VerdictKind::compute_bound),
      compute_rule("CMP004",
                   text_of<msg::cmp004_looks_for, msg::cmp004_means, msg::cmp004_remedy>(),
                   held_by_launches,
                   VerdictKind::host_overhead),
      compute_rule("CMP006",
                   text_of<msg::cmp006_looks_for, msg::cmp006_means, msg::cmp006_remedy>(),
                   optimizer_share,
                   VerdictKind::compute_bound),
      compute_rule("CMP007",
                   text_of<msg::cmp007_looks_for, msg::cmp007_means, msg::cmp007_remedy>(),
                   saving_exposed,
                   VerdictKind::host_overhead),
      compute_rule("CMP008",
                   text_of<msg::cmp008_looks_for, msg::cmp008_means, msg::cmp008_remedy>(),
                   memory_retries,
                   VerdictKind::host_overhead),
      compute_rule("CMP009",
                   text_of<msg::cmp009_looks_for, msg::cmp009_means, msg::cmp009_remedy>(),
                   skipped_updates,
                   VerdictKind::compute_bound),
  };
  return kRules;
}

}  // namespace qanat
