// Rules about batches and their way to the device.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/gain.h"
#include "diagnose/replay.h"
#include "diagnose/rule_parts.h"
#include "diagnose/wait_cause.h"
#include "locale/messages/findings_data.h"
#include "locale/messages/findings_transfer.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

constexpr double kGoodPadding = 0.05;
constexpr double kMuchPadding = 0.20;  // worth a word even where its cost is not known
constexpr int kManyEdges = 16;
constexpr std::size_t kMaxSlots = 8;
constexpr double kManyCores = 0.25;  // of the allowed ones, spent on making features

double transfer_of(const StepRecord& step) {
  return step.phases.transfer.count();
}

// What a frame costs. Where all batches have one shape that cannot be told from what a step costs
// anyway: then all of the device's work counts, and the interval says how little is known.
struct FrameCost {
  double seconds = 0;
  double surest = 1;  // of the gain: the low end of its interval
};

std::optional<int> bucket_edges_of(const RunSummary& summary) {
  const std::optional<int>& edges = summary.run.bucket_edges;
  return edges ? std::optional(std::clamp(*edges, 1, 1 << 16)) : std::nullopt;
}

FrameCost frame_cost(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const bool varies = quantile(m.padded, 0.95) > 1.1 * quantile(m.padded, 0.05);
  if (varies) {
    return {.seconds = m.work.per_frame, .surest = 0.8};
  }
  const bool few_shapes = input.summary.trained_by != TrainedBy::qanat ||
                          bucket_edges_of(input.summary).value_or(kManyEdges) < kManyEdges;
  if (m.padding_share < kMuchPadding || !few_shapes) {
    return {};
  }
  const double frames = mean(m.padded);
  return {.seconds = frames > 0 ? m.breakdown.busy().count() / frames : 0, .surest = 0.4};
}

// Another number of shapes, and the share of padding that an epoch has with it.
struct PlannedEdges {
  int edges = 0;
  double padding = 0;
};

std::optional<double> planned_padding_of(const RunSummary& summary, int edges) {
  const auto found = summary.padding_by_edges.find(std::to_string(edges));
  return found != summary.padding_by_edges.end() && found->second >= 0 && found->second < 1
             ? std::optional(found->second)
             : std::nullopt;
}

// The fewest shapes above those there are that waste about as little as any number does; nothing
// where none wastes less, or nothing was planned.
std::optional<PlannedEdges> better_edges(const RunSummary& summary) {
  constexpr int kMaxEdges = 64;
  constexpr double kAsGood = 0.02;  // of the frames
  const int now = bucket_edges_of(summary).value_or(1);
  const double current = planned_padding_of(summary, now).value_or(0);
  double least = current;
  for (int edges = 1; edges <= kMaxEdges; edges *= 2) {
    least =
        edges > now ? std::min(least, planned_padding_of(summary, edges).value_or(least)) : least;
  }
  for (int edges = 1; edges <= kMaxEdges; edges *= 2) {
    const std::optional<double> padding = planned_padding_of(summary, edges);
    if (edges > now && padding && *padding < current && *padding <= least + kAsGood) {
      return PlannedEdges{.edges = edges, .padding = *padding};
    }
  }
  return std::nullopt;
}

// Frames of a mean step that would be gone, and the fix that does it.
struct LessPadding {
  double frames = 0;
  std::vector<Fix> fixes{};
};

LessPadding less_padding(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double real = mean(m.padded) * (1 - m.padding_share);
  if (input.summary.trained_by != TrainedBy::qanat) {  // as batches of like lengths have it
    return {.frames = mean(m.padded) - real / (1 - kGoodPadding),
            .fixes = {set_key("pipeline.bucket_edges", kManyEdges)}};
  }
  const std::optional<PlannedEdges> better = better_edges(input.summary);
  if (!better) {
    return {};
  }
  // As the plan has it, for the batches that the run had.
  const double now = *planned_padding_of(input.summary, bucket_edges_of(input.summary).value_or(1));
  return {.frames = mean(m.padded) * (1 - (1 - now) / (1 - better->padding)),
          .fixes = {set_key("pipeline.bucket_edges", better->edges)}};
}

// Seconds per step with another depth of the ring; nothing when the stages are not known.
std::optional<double> replay_with_slots(const RuleInput& input, std::size_t slots) {
  const std::deque<SlotRecord>& slots_used = input.summary.slots;
  const std::vector<StepRecord>& steps = input.measures.steady;
  const std::size_t count = std::min(slots_used.size(), steps.size());
  if (count < kMinSteps) {
    return std::nullopt;
  }
  std::vector<std::vector<double>> stages(4);
  for (std::size_t i = 0; i < count; ++i) {
    const SlotRecord& slot = slots_used[slots_used.size() - count + i];
    const StepPhases& phases = steps[steps.size() - count + i].phases;
    stages[0].push_back(std::max(0.0, length_of(slot.stage)));
    stages[1].push_back(std::max(0.0, length_of(slot.prepare)));
    stages[2].push_back(std::max(0.0, length_of(slot.copy)));
    stages[3].push_back(std::max(0.0, (phases.total() - phases.wait - phases.transfer).count()));
  }
  return replay_ring(stages, slots);
}

// Another depth of the ring, when it helps; a word about the link when none does.
Fix better_transfer(const RuleInput& input, double now, double without) {
  const std::optional<LoaderUse>& loader = input.measures.loader;
  const auto slots = static_cast<std::size_t>(std::clamp(loader ? loader->slots : 3, 1, 64));
  for (std::size_t more = slots + 1; more <= std::max(kMaxSlots, slots + 1); ++more) {
    const std::optional<double> predicted = replay_with_slots(input, more);
    if (predicted && now - *predicted > 0.5 * (now - without)) {
      return set_key(
          "data.prefetch_buffer_size", static_cast<int>(more), std::max(*predicted, without));
    }
  }
  return do_this(msg::mg003_faster_link{}, without);
}

RuleOutcome padding_waste(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  // Where all is padding, nobody said which frames are none.
  if (!(mean(m.padded) > 0) || m.padding_share >= 1) {
    return skipped(msg::dl007_unknown{});
  }
  if (!(m.padding_share > kGoodPadding)) {
    return passed(msg::dl007_title{.share = in_percent(m.padding_share, 1)});
  }
  if (input.summary.trained_by == TrainedBy::qanat && input.summary.padding_by_edges.empty()) {
    return skipped(msg::dl007_unplanned{});
  }
  // The part of the step that pays for work, with the shapes that are proposed.
  const FrameCost cost = frame_cost(input);
  const LessPadding less = less_padding(input);
  const double saved = less.frames * cost.seconds;
  if (less.fixes.empty()) {
    return passed(msg::dl007_least{.share = in_percent(m.padding_share, 1)});
  }
  if (saved < kMinReportableGain * m.mean_step) {
    return passed(msg::dl007_ok{.share = in_percent(m.padding_share, 1),
                                .cost = in_percent(saved / m.mean_step, 1)});
  }
  const Gain gain =
      make_gain(m.mean_step, saving_within(saved, cost.surest, 1.2), GainMethod::work_model);
  Finding finding{.title = msg::dl007_title{.share = in_percent(m.padding_share)},
                  .severity = severity_of(gain),
                  .evidence = {{metric::padding_share, m.padding_share},
                               {metric::seconds_per_frame, cost.seconds}},
                  .gain = gain,
                  .fixes = less.fixes,
                  .verify = msg::verify_rerun{},
                  .may_be_wrong = msg::dl007_wrong_if{},
                  .part = BreakdownPart::work};
  finding.fixes.front().predicted_step = gain.step_if_fixed;
  return finding;
}

RuleOutcome copies_not_overlapped(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double share = m.share(m.breakdown.transfer);
  if (!(share >= kMinReportableGain)) {
    return passed(msg::transfer_ok{.share = in_percent(share, 1)});
  }
  const bool ahead = input.summary.run.prefetch_to_gpu.value_or(true);
  const bool pinned = input.summary.run.pinned.value_or(true);
  if (ahead && pinned) {
    return passed(msg::dl008_ok{});
  }
  const Gain gain = gain_without(m, transfer_of);
  return Finding{
      .title = ahead ? Message(msg::dl008_not_pinned_title{}) : msg::dl008_not_ahead_title{},
      .severity = severity_of(gain),
      .evidence = {{metric::transfer_share, share}},
      .gain = gain,
      .fixes = {set_key(ahead ? "data.enhanced_gpu_prefetch" : "data.prefetch_to_gpu",
                        "true",
                        gain.step_if_fixed)},
      .verify = msg::verify_rerun{},
      .may_be_wrong = msg::dl008_wrong_if{},
      .part = BreakdownPart::transfer};
}

RuleOutcome features_made_again(const RuleInput& input) {
  if (input.summary.trained_by != TrainedBy::qanat) {
    return skipped(msg::skip_other_trainer{}, Missing::loader);
  }
  const std::optional<LoaderUse>& loader = input.measures.loader;
  const std::optional<int> cores = allowed_cores_of(input.summary);
  if (!loader || !loader->split || !cores) {
    return skipped(msg::dl009_unknown{}, Missing::loader);
  }
  const double step = input.measures.mean_step;
  const double used = step > 0 ? loader->work_per_batch * loader->split->computing / step : 0;
  if (input.summary.pipeline->from_audio == 0 || used < kManyCores * *cores) {
    return passed(msg::dl009_ok{.used = plain(used, 2), .cores = *cores});
  }
  return Finding{.title = msg::dl009_title{.used = plain(used, 1), .cores = *cores},
                 .evidence = {{metric::feature_cores, used}},
                 .fixes = {precompute_features()},
                 .verify = msg::dl009_verify{},
                 .may_be_wrong = msg::dl009_wrong_if{}};
}

RuleOutcome bad_utterances(const RuleInput& input) {
  if (input.summary.trained_by != TrainedBy::qanat) {
    return skipped(msg::skip_other_trainer{}, Missing::loader);
  }
  const PipelineStats& stats = *input.summary.pipeline;
  if (stats.bad == 0) {
    return passed(msg::dl012_ok{});
  }
  const double share =
      static_cast<double>(stats.bad) / static_cast<double>(std::max<std::int64_t>(stats.rows, 1));
  return Finding{.title = msg::dl012_title{.rows = stats.bad},
                 .evidence = {{metric::bad_share, share}},
                 .verify = by_command("qanat data check DIR")};
}

RuleOutcome transfer_exposed(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double share = m.share(m.breakdown.transfer);
  if (!(share >= kMinReportableGain)) {
    return passed(msg::transfer_ok{.share = in_percent(share, 1)});
  }
  const Gain gain = gain_without(m, transfer_of);
  return Finding{.title = msg::mg003_title{},
                 .severity = severity_of(gain),
                 .evidence = {{metric::transfer_share, share}},
                 .gain = gain,
                 .fixes = {better_transfer(input, gain.step_now, gain.step_if_fixed)},
                 .verify = msg::mg003_verify{},
                 .may_be_wrong = msg::mg003_wrong_if{},
                 .part = BreakdownPart::transfer};
}

}  // namespace

std::span<const Rule> batch_rules() {
  static constexpr auto kRules = std::to_array<Rule>({
      {.id = "DL007",
       .category = RuleCategory::data,
       .text = text_of<msg::dl007_looks_for, msg::dl007_means, msg::dl007_remedy>(),
       .judge = padding_waste,
       .verdict = VerdictKind::compute_bound},
      // A way to copy ahead is more than the fact that copies are late.
      {.id = "DL008",
       .category = RuleCategory::transfer,
       .text = text_of<msg::dl008_looks_for, msg::dl008_means, msg::dl008_remedy>(),
       .judge = copies_not_overlapped,
       .verdict = VerdictKind::transfer_bound,
       .specificity = {.of_others = 3}},
      {.id = "DL009",
       .category = RuleCategory::data,
       .text = text_of<msg::dl009_looks_for, msg::dl009_means, msg::dl009_remedy>(),
       .judge = features_made_again,
       .needs = Need::steps | Need::loader,
       .verdict = VerdictKind::input_bound},
      {.id = "DL012",
       .category = RuleCategory::data,
       .text = text_of<msg::dl012_looks_for, msg::dl012_means, msg::dl012_remedy>(),
       .judge = bad_utterances,
       .needs = Need::steps | Need::loader,
       .verdict = VerdictKind::input_bound},
      {.id = "MG003",
       .category = RuleCategory::transfer,
       .text = text_of<msg::mg003_looks_for, msg::mg003_means, msg::mg003_remedy>(),
       .judge = transfer_exposed,
       .verdict = VerdictKind::transfer_bound},
  });
  return kRules;
}

}  // namespace qanat
