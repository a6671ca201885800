#include "diagnose/rules_data.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace qanat {
namespace {

constexpr double kBusyWorkers = 0.85;  // of their time: the loader gives all it has
constexpr double kGoodPadding = 0.05;

double wait_of(const StepRecord& step) {
  return step.phases.wait.count();
}

double transfer_of(const StepRecord& step) {
  return step.phases.transfer.count();
}

struct LoaderLoad {
  int workers = 0;       // that ran
  double busy = 0;       // share of their time, parked time not counted
  double empty = 0;      // share of time the ready buffer was empty
  double per_batch = 0;  // s of worker time that a batch costs
};

LoaderLoad load_of(const PipelineStats& stats) {
  double busy = 0;
  double present = 0;
  for (const WorkerStats& worker : stats.workers) {
    busy += worker.busy.count();
    present += (worker.busy + worker.blocked + worker.starved).count();
  }
  const double total = stats.ready.occupancy.total().count();
  return {.workers = stats.active_workers,
          .busy = present > 0 ? busy / present : 0,
          .empty = total > 0 ? stats.ready.occupancy.empty.count() / total : 0,
          .per_batch = stats.batches > 0 ? busy / static_cast<double>(stats.batches) : 0};
}

std::optional<int> allowed_cores_of(const RunTrace& trace) {
  const auto cores = trace.run.find("allowed_cores");
  if (cores == trace.run.end() || !cores->is_number_integer()) {
    return std::nullopt;
  }
  return cores->get<int>();
}

// Which stage of the workers takes most, and its share of their time.
std::pair<std::string, double> dearest_stage(const PipelineStats& stats) {
  const std::array stages = {&stats.decode, &stats.mel, &stats.tokens, &stats.copy};
  double total = 0;
  for (const StageStats* stage : stages) {
    total += stage->busy.count();
  }
  const auto* const dearest =
      *std::ranges::max_element(stages, {}, [](const StageStats* stage) { return stage->busy; });
  return {dearest->name, total > 0 ? dearest->busy.count() / total : 0};
}

bool device_waits(const RunMeasures& measures) {
  return measures.share(measures.ledger.wait) >= kWorthMentioning;
}

RuleOutcome no_waiting(const RunMeasures& measures) {
  return {.passed = fmt::format("the device waits for data {:.1f} % of the time",
                                100 * measures.share(measures.ledger.wait))};
}

std::vector<Evidence> waiting_evidence(const RunMeasures& measures, const LoaderLoad& load) {
  return {{.metric = "data_wait_share", .value = measures.share(measures.ledger.wait), .unit = "1"},
          {.metric = "ready_buffer_empty_share", .value = load.empty, .unit = "1"},
          {.metric = "workers_busy_share", .value = load.busy, .unit = "1"},
          {.metric = "workers", .value = static_cast<double>(load.workers), .unit = "workers"}};
}

const std::string kVerifyReport =
    "run again with the flag, then: qanat report JOURNAL --baseline OLD";

// What the rules about waiting have in common; nothing when the caller has to decide.
std::optional<RuleOutcome> settled_without_loader(const RuleInput& input) {
  if (!device_waits(input.measures)) {
    return no_waiting(input.measures);
  }
  if (!input.trace.pipeline) {
    return RuleOutcome{.skipped = "the journal has no line about the loader"};
  }
  return std::nullopt;
}

}  // namespace

RuleOutcome too_few_workers(const RuleInput& input) {
  if (auto settled = settled_without_loader(input)) {
    return *settled;
  }
  const LoaderLoad load = load_of(*input.trace.pipeline);
  const std::optional<int> cores = allowed_cores_of(input.trace);
  if (!cores) {
    return {.skipped = "the journal does not say how many cores the run may use"};
  }
  if (load.busy < kBusyWorkers || load.workers + 1 >= *cores) {
    return {
        .passed = fmt::format(
            "{} workers, {:.0f} % busy, {} cores allowed", load.workers, 100 * load.busy, *cores)};
  }
  Gain gain = gain_without(input.measures, wait_of);
  // As many workers as make a batch in nine tenths of a step, the device's own core left alone.
  const int wanted =
      std::clamp(static_cast<int>(std::ceil(load.per_batch / (0.9 * gain.step_if_fixed))),
                 load.workers + 1,
                 *cores - 1);
  const double predicted = std::max(gain.step_if_fixed, load.per_batch / wanted);
  return {.finding = Finding{
              .id = "DL002",
              .title = fmt::format("{} loader worker{} cannot keep up, and cores are idle",
                                   load.workers,
                                   load.workers == 1 ? "" : "s"),
              .severity = severity_of(gain),
              .evidence = waiting_evidence(input.measures, load),
              .gain = gain,
              .fixes = {{.key = "data.num_workers",
                         .flag = fmt::format("--num-workers {}", wanted),
                         .predicted_step = predicted}},
              .verify = kVerifyReport,
              .may_be_wrong = "other programs use the idle cores, or storage is the limit"}};
}

RuleOutcome workers_at_limit(const RuleInput& input) {
  if (auto settled = settled_without_loader(input)) {
    return *settled;
  }
  const LoaderLoad load = load_of(*input.trace.pipeline);
  const std::optional<int> cores = allowed_cores_of(input.trace);
  if (!cores) {
    return {.skipped = "the journal does not say how many cores the run may use"};
  }
  if (load.busy < kBusyWorkers || load.workers + 1 < *cores) {
    return {
        .passed = fmt::format(
            "{} workers, {:.0f} % busy, {} cores allowed", load.workers, 100 * load.busy, *cores)};
  }
  const auto [stage, share] = dearest_stage(*input.trace.pipeline);
  const Gain gain = gain_without(input.measures, wait_of);
  std::vector<Evidence> evidence = waiting_evidence(input.measures, load);
  evidence.push_back({.metric = stage + "_share_of_workers", .value = share, .unit = "1"});
  return {
      .finding = Finding{
          .id = "DL003",
          .title = fmt::format("preparing data fills all {} allowed cores, {:.0f} % of it in {}",
                               *cores,
                               100 * share,
                               stage),
          .severity = severity_of(gain),
          .evidence = std::move(evidence),
          .gain = gain,
          .fixes = {{.key = "data.preprocessing_mode",
                     .flag = "--set data.preprocessing_mode=precompute (after qanat precompute)",
                     .predicted_step = gain.step_if_fixed}},
          .verify = kVerifyReport,
          .may_be_wrong = "epochs after the first come from memory: a longer run may not wait"}};
}

RuleOutcome buffer_too_shallow(const RuleInput& input) {
  if (auto settled = settled_without_loader(input)) {
    return *settled;
  }
  const PipelineStats& stats = *input.trace.pipeline;
  const LoaderLoad load = load_of(stats);
  if (load.busy >= kBusyWorkers) {
    return {.passed = "workers are busy all the time: depth is not what is missing"};
  }
  if (stats.window.limit <= 0) {
    return {.skipped = "the journal does not say how many batches may be under way"};
  }
  const Gain gain = gain_without(input.measures, wait_of);
  std::vector<Evidence> evidence = waiting_evidence(input.measures, load);
  evidence.push_back({.metric = "buffer_size",
                      .value = static_cast<double>(stats.window.limit),
                      .unit = "batches"});
  return {.finding = Finding{
              .id = "DL005",
              .title = fmt::format(
                  "workers idle {:.0f} % of their time, yet the device waits: {} batches of buffer "
                  "are too few for how much preparing them varies",
                  100 * (1 - load.busy),
                  stats.window.limit),
              .severity = severity_of(gain),
              .evidence = std::move(evidence),
              .gain = gain,
              .fixes = {{.key = "data.pipeline_buffer_size",
                         .flag = fmt::format("--buffer-size {}", stats.window.limit * 2),
                         .predicted_step = gain.step_if_fixed}},
              .verify = kVerifyReport,
              .may_be_wrong = "the workers were held up by something that is not journalled"}};
}

RuleOutcome padding_waste(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (m.padding_share <= kGoodPadding) {
    return {.passed = fmt::format("{:.1f} % of the frames are padding", 100 * m.padding_share)};
  }
  // The part of the step that pays for work, for five percent of padding instead.
  const double wasted = (m.padding_share - kGoodPadding) * mean(m.padded) * m.work.per_frame;
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
  gain.ci95 = {.low = 1 + (gain.speedup - 1) * 0.8, .high = 1 + (gain.speedup - 1) * 1.2};
  return {.finding = Finding{
              .id = "DL007",
              .title = fmt::format("{:.0f} % of the frames are padding", 100 * m.padding_share),
              .severity = severity_of(gain),
              .evidence = {{.metric = "padding_share", .value = m.padding_share, .unit = "1"},
                           {.metric = "seconds_per_frame", .value = m.work.per_frame, .unit = "s"}},
              .gain = gain,
              .fixes = {{.key = "pipeline.bucket_edges",
                         .flag = "--set pipeline.bucket_edges=16",
                         .predicted_step = gain.step_if_fixed}},
              .verify = kVerifyReport,
              .may_be_wrong = "the shapes are fixed on purpose, for graphs"}};
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
  const double share = input.measures.share(input.measures.ledger.transfer);
  if (share < kWorthMentioning) {
    return {.passed =
                fmt::format("the device waits for transfers {:.1f} % of the time", 100 * share)};
  }
  const Gain gain = gain_without(input.measures, transfer_of);
  return {
      .finding = Finding{
          .id = "MG003",
          .title = "batches arrive late at the model device: their way is not hidden by work",
          .severity = severity_of(gain),
          .evidence = {{.metric = "transfer_share", .value = share, .unit = "1"}},
          .gain = gain,
          .fixes = {{.key = "data.prefetch_buffer_size",
                     .flag = "--prefetch-buffer-size 4",
                     .predicted_step = gain.step_if_fixed}},
          .verify = "qanat validate measures the link in GB/s and ms per batch",
          .may_be_wrong = "the data device itself is slower than the model: compare with one GPU"}};
}

}  // namespace qanat
