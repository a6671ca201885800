#include "diagnose/rules_batch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "diagnose/replay.h"
#include "diagnose/rule_parts.h"
#include "diagnose/wait_cause.h"

namespace qanat {
namespace {

constexpr double kGoodPadding = 0.05;
constexpr double kMuchPadding = 0.20;  // worth a word even where its cost is not known
constexpr int kManyEdges = 16;
constexpr std::size_t kMostSlots = 8;
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

std::optional<int> bucket_edges_of(const RunTrace& trace) {
  const auto edges = trace.run.find("bucket_edges");
  if (edges == trace.run.end() || !edges->is_number_integer()) {
    return std::nullopt;
  }
  return std::clamp(edges->get<int>(), 1, 1 << 16);
}

FrameCost frame_cost(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const bool varies = quantile(m.padded, 0.95) > 1.1 * quantile(m.padded, 0.05);
  if (varies) {
    return {.seconds = m.work.per_frame, .surest = 0.8};
  }
  const bool few_shapes = bucket_edges_of(input.trace).value_or(kManyEdges) < kManyEdges;
  if (m.padding_share < kMuchPadding || !few_shapes) {
    return {};
  }
  const double frames = mean(m.padded);
  return {.seconds = frames > 0 ? m.ledger.busy().count() / frames : 0, .surest = 0.4};
}

Fix less_padding(const RuleInput& input, double predicted) {
  const int edges = bucket_edges_of(input.trace).value_or(1);
  const int wanted = edges >= kManyEdges ? 2 * edges : kManyEdges;
  return {.key = "pipeline.bucket_edges",
          .flag = fmt::format("--set pipeline.bucket_edges={}", wanted),
          .predicted_step = predicted,
          .value = std::to_string(wanted)};
}

// The run says that it does; what it does not say is taken to be so.
bool run_says(const RunTrace& trace, const char* name) {
  const auto found = trace.run.find(name);
  return found == trace.run.end() || !found->is_boolean() || found->get<bool>();
}

// Seconds per step with another depth of the ring; nothing when the stages are not known.
std::optional<double> replay_with_slots(const RuleInput& input, std::size_t slots) {
  const std::deque<BatchWay>& ways = input.trace.ways;
  const std::vector<StepRecord>& steps = input.measures.steady;
  const std::size_t count = std::min(ways.size(), steps.size());
  if (count < kFewestSteps) {
    return std::nullopt;
  }
  std::vector<std::vector<double>> stages(4);
  for (std::size_t i = 0; i < count; ++i) {
    const BatchWay& way = ways[ways.size() - count + i];
    const StepPhases& phases = steps[steps.size() - count + i].phases;
    stages[0].push_back(std::max(0.0, way.stage));
    stages[1].push_back(std::max(0.0, way.prepare));
    stages[2].push_back(std::max(0.0, way.copy));
    stages[3].push_back(std::max(0.0, (phases.total() - phases.wait - phases.transfer).count()));
  }
  return replay_ring(stages, slots);
}

// Another depth of the ring, when it helps; a word about the link when none does.
Fix better_transfer(const RuleInput& input, double now, double without) {
  const std::optional<LoaderUse>& loader = input.measures.loader;
  const auto slots = static_cast<std::size_t>(std::clamp(loader ? loader->slots : 3, 1, 64));
  for (std::size_t more = slots + 1; more <= std::max(kMostSlots, slots + 1); ++more) {
    const std::optional<double> predicted = replay_with_slots(input, more);
    if (predicted && now - *predicted > 0.5 * (now - without)) {
      return {.key = "data.prefetch_buffer_size",
              .flag = fmt::format("--prefetch-buffer-size {}", more),
              .predicted_step = std::max(*predicted, without),
              .value = std::to_string(more)};
    }
  }
  return {.key = "system",
          .flag =
              "a faster link; qanat validate measures this one, and whether the other device "
              "should make the features",
          .predicted_step = without};
}

}  // namespace

RuleOutcome padding_waste(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (!(m.padding_share > kGoodPadding)) {
    return {.passed = fmt::format("{:.1f} % of the frames are padding", 100 * m.padding_share)};
  }
  // The part of the step that pays for work, for five percent of padding instead.
  const FrameCost cost = frame_cost(input);
  const double needed = mean(m.padded) * (1 - m.padding_share) / (1 - kGoodPadding);
  const double wasted =
      std::clamp((mean(m.padded) - needed) * cost.seconds, 0.0, 0.99 * m.mean_step);
  if (wasted < kWorthMentioning * m.mean_step) {
    return {.passed =
                fmt::format("{:.1f} % of the frames are padding, which costs {:.1f} % of a step",
                            100 * m.padding_share,
                            100 * wasted / m.mean_step)};
  }
  Gain gain{.step_now = m.mean_step,
            .step_if_fixed = m.mean_step - wasted,
            .speedup = m.mean_step / (m.mean_step - wasted),
            .method = "work model"};
  gain.ci95 = {.low = 1 + (gain.speedup - 1) * cost.surest, .high = 1 + (gain.speedup - 1) * 1.2};
  return {.finding = Finding{
              .id = "DL007",
              .title = fmt::format("{:.0f} % of the frames are padding", 100 * m.padding_share),
              .severity = severity_of(gain),
              .evidence = {{.metric = "padding_share", .value = m.padding_share, .unit = "1"},
                           {.metric = "seconds_per_frame", .value = cost.seconds, .unit = "s"}},
              .gain = gain,
              .fixes = {less_padding(input, gain.step_if_fixed)},
              .verify = kVerifyReport,
              .may_be_wrong = "the shapes are fixed on purpose, for graphs",
              .part = LedgerPart::work}};
}

RuleOutcome copies_not_overlapped(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double share = m.share(m.ledger.transfer);
  if (!(share >= kWorthMentioning)) {
    return {.passed = fmt::format("the device waits for copies {:.1f} % of the time", 100 * share)};
  }
  const bool ahead = run_says(input.trace, "prefetch_to_gpu");
  const bool pinned = run_says(input.trace, "pinned");
  if (ahead && pinned) {
    return {.passed = "batches are copied ahead, from page-locked memory"};
  }
  const Gain gain = gain_without(m, transfer_of);
  const std::string key = ahead ? "data.enhanced_gpu_prefetch" : "data.prefetch_to_gpu";
  return {.finding = Finding{
              .id = "DL008",
              .title = ahead ? "batches are copied from memory that is not page-locked"
                             : "batches are copied only when the device has nothing left to do",
              .severity = severity_of(gain),
              .evidence = {{.metric = "transfer_share", .value = share, .unit = "1"}},
              .gain = gain,
              .fixes = {{.key = key,
                         .flag = fmt::format("--set {}=true", key),
                         .predicted_step = gain.step_if_fixed,
                         .value = "true"}},
              .verify = kVerifyReport,
              .may_be_wrong = "the link is slower than the device in any case",
              .part = LedgerPart::transfer}};
}

RuleOutcome features_made_again(const RuleInput& input) {
  const std::optional<LoaderUse>& loader = input.measures.loader;
  const std::optional<int> cores = allowed_cores_of(input.trace);
  if (!loader || !loader->split || !cores || !input.trace.pipeline) {
    return {.skipped = "the journal does not say what making features costs"};
  }
  const PipelineStats& stats = *input.trace.pipeline;
  const double step = input.measures.mean_step;
  const double used = step > 0 ? loader->work_per_batch * loader->split->computing / step : 0;
  if (stats.from_audio == 0 || used < kManyCores * *cores) {
    return {.passed = fmt::format("making features takes {:.2f} of {} cores", used, *cores)};
  }
  const Gain gain{.step_now = step, .step_if_fixed = step, .method = "none"};
  return {
      .finding = Finding{
          .id = "DL009",
          .title = fmt::format("making features takes {:.1f} of {} cores in every epoch; made "
                               "once, they would be read",
                               used,
                               *cores),
          .severity = FindingSeverity::info,
          .evidence = {{.metric = "feature_cores", .value = used, .unit = "cores"}},
          .gain = gain,
          .fixes = {{.key = "data.preprocessing_mode",
                     .flag = "--set data.preprocessing_mode=precompute (after qanat precompute)"}},
          .verify = "qanat precompute --train-data DIR, then run again",
          .may_be_wrong = "the cores have nothing else to do"}};
}

RuleOutcome bad_utterances(const RuleInput& input) {
  if (!input.trace.pipeline) {
    return {.skipped = "the journal has no line about the loader"};
  }
  const PipelineStats& stats = *input.trace.pipeline;
  if (stats.bad == 0) {
    return {.passed = "every utterance could be used"};
  }
  const double share =
      static_cast<double>(stats.bad) / static_cast<double>(std::max<std::int64_t>(stats.rows, 1));
  const double step = input.measures.mean_step;
  const Gain gain{.step_now = step, .step_if_fixed = step, .method = "none"};
  return {.finding =
              Finding{.id = "DL012",
                      .title = fmt::format("{} rows were filled with another utterance", stats.bad),
                      .severity = FindingSeverity::info,
                      .evidence = {{.metric = "bad_share", .value = share, .unit = "1"}},
                      .gain = gain,
                      .fixes = {},
                      .verify = "qanat data check DIR",
                      .may_be_wrong = {}}};
}

RuleOutcome transfer_exposed(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const double share = m.share(m.ledger.transfer);
  if (!(share >= kWorthMentioning)) {
    return {.passed =
                fmt::format("the device waits for transfers {:.1f} % of the time", 100 * share)};
  }
  const Gain gain = gain_without(m, transfer_of);
  return {
      .finding = Finding{
          .id = "MG003",
          .title = "batches arrive late at the model device: their way is not hidden by work",
          .severity = severity_of(gain),
          .evidence = {{.metric = "transfer_share", .value = share, .unit = "1"}},
          .gain = gain,
          .fixes = {better_transfer(input, gain.step_now, gain.step_if_fixed)},
          .verify = "qanat validate measures the link in GB/s and ms per batch",
          .may_be_wrong = "the data device itself is slower than the model: compare with one GPU",
          .part = LedgerPart::transfer}};
}

}  // namespace qanat
