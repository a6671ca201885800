#include "diagnose/rules_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "diagnose/rule_parts.h"
#include "diagnose/wait_cause.h"
#include "diagnose/what_if.h"

namespace qanat {
namespace {

constexpr int kWorkersPerCore = 4;  // that waiting for storage may be hidden with
constexpr double kWorstDivision = 1e-9;
constexpr int kUsualWindow = 8;  // batches, where there was no buffer at all

std::string plural(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
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

std::vector<Evidence> waiting_evidence(const RunMeasures& m) {
  const LoaderUse& use = *m.loader;
  std::vector<Evidence> evidence = {
      {.metric = "data_wait_share", .value = m.share(m.ledger.wait), .unit = "1"},
      {.metric = "ready_buffer_empty_share", .value = use.empty, .unit = "1"},
      {.metric = "workers_busy_share", .value = use.busy, .unit = "1"},
      {.metric = "workers", .value = static_cast<double>(use.workers), .unit = "workers"}};
  if (use.split) {
    evidence.push_back({.metric = "busy_computing", .value = use.split->computing, .unit = "1"});
    evidence.push_back({.metric = "busy_run_queue", .value = use.split->run_queue, .unit = "1"});
    evidence.push_back({.metric = "busy_lock", .value = use.split->lock, .unit = "1"});
    evidence.push_back({.metric = "busy_blocked", .value = use.split->blocked, .unit = "1"});
  }
  return evidence;
}

// What every rule about waiting says when the cause is another one; nothing when it is `mine`.
std::optional<RuleOutcome> settled(const RuleInput& input, WaitCause mine) {
  const WaitCause cause = find_wait_cause(input);
  const RunMeasures& m = input.measures;
  if (cause == mine) {
    return std::nullopt;
  }
  if (cause == WaitCause::none) {
    return RuleOutcome{.passed = fmt::format("the device waits for data {:.1f} % of the time",
                                             100 * m.share(m.ledger.wait))};
  }
  if (cause == WaitCause::unknown) {
    return RuleOutcome{.skipped = m.loader
                                      ? "the journal does not say how many cores the run may use"
                                      : "the journal has no line about the loader"};
  }
  return RuleOutcome{.passed =
                         fmt::format("the device waits, and the cause is another one: {} ({})",
                                     to_string(cause),
                                     rule_of(cause))};
}

Finding waiting_finding(const RuleInput& input, std::string id, std::string title, Gain gain) {
  const FindingSeverity severity = severity_of(gain);
  return {.id = std::move(id),
          .title = std::move(title),
          .severity = severity,
          .evidence = waiting_evidence(input.measures),
          .gain = std::move(gain),
          .fixes = {},
          .verify = kVerifyReport,
          .may_be_wrong = {},
          .part = LedgerPart::wait};
}

// With so many workers, as far as they do not compete for cores.
Fix more_workers(const RuleInput& input, int workers) {
  return {.key = "data.num_workers",
          .flag = fmt::format("--num-workers {}", workers),
          .predicted_step = predict_step(input, {.workers = workers}),
          .value = std::to_string(workers)};
}

Gain gain_of_fix(const RuleInput& input, const Fix& fix) {
  return fix.predicted_step ? gain_of_prediction(input.measures, *fix.predicted_step)
                            : gain_if_data_were_free(input.measures);
}

Fix deeper_buffer(const RuleInput& input, int window) {
  return {.key = "data.pipeline_buffer_size",
          .flag = fmt::format("--buffer-size {}", window),
          .predicted_step = predict_step(input, {.window = window}),
          .value = std::to_string(window)};
}

}  // namespace

RuleOutcome slow_storage(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::storage)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const int cores = allowed_cores_of(input.trace).value_or(1);
  const Fix fix = more_workers(
      input, workers_wanted(input, std::max(use.workers + 1, kWorkersPerCore * cores)));
  Finding finding = waiting_finding(
      input,
      "DL001",
      fmt::format("{} wait{} for files {:.0f} % of the time: storage does not keep up",
                  plural(use.workers, "loader worker"),
                  use.workers == 1 ? "s" : "",
                  100 * use.split->blocked),
      gain_of_fix(input, fix));
  finding.fixes = {fix,
                   {.key = "data.preprocessing_mode",
                    .flag = "--set data.preprocessing_mode=precompute (after qanat precompute)"}};
  finding.may_be_wrong =
      "the device behind the files gives no more to many readers than to few; qanat diagnose "
      "measures it";
  return {.finding = std::move(finding)};
}

RuleOutcome too_few_workers(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::few_workers)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const int cores = *allowed_cores_of(input.trace);
  const double idle = cores - use.process_cores.value_or(use.workers + 1);
  const int most = use.workers + std::max(1, static_cast<int>(std::lround(idle)));
  const Fix fix = more_workers(input, workers_wanted(input, most));
  Finding finding =
      waiting_finding(input,
                      "DL002",
                      fmt::format("{} cannot keep up, and {:.1f} of {} cores are idle",
                                  plural(use.workers, "loader worker"),
                                  idle,
                                  cores),
                      gain_of_fix(input, fix));
  finding.evidence.push_back({.metric = "idle_cores", .value = idle, .unit = "cores"});
  finding.fixes = {fix};
  finding.may_be_wrong = "other programs use the idle cores at other times";
  return {.finding = std::move(finding)};
}

RuleOutcome workers_at_limit(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::computing)) {
    return *other;
  }
  const int cores = *allowed_cores_of(input.trace);
  const auto [stage, share] = dearest_stage(*input.trace.pipeline);
  Finding finding =
      waiting_finding(input,
                      "DL003",
                      fmt::format("preparing data fills all {} allowed cores, {:.0f} % of it in {}",
                                  cores,
                                  100 * share,
                                  stage),
                      gain_if_data_were_free(input.measures));
  finding.evidence.push_back({.metric = stage + "_share_of_workers", .value = share, .unit = "1"});
  finding.fixes = {{.key = "data.preprocessing_mode",
                    .flag = "--set data.preprocessing_mode=precompute (after qanat precompute)",
                    .predicted_step = finding.gain.step_if_fixed,
                    .value = "precompute"}};
  finding.may_be_wrong = "epochs after the first come from memory: a longer run may not wait";
  return {.finding = std::move(finding)};
}

RuleOutcome lock_convoy(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::lock)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  // One that never waits for the others does the work of a row alone.
  const std::optional<double> predicted = predict_step(input, {.work = 1 - use.split->lock});
  const Gain gain = predicted ? gain_of_prediction(input.measures, *predicted)
                              : gain_if_data_were_free(input.measures);
  Finding finding = waiting_finding(
      input,
      "DL004",
      fmt::format("{} wait for each other {:.0f} % of the time: a part of their work is done by "
                  "one at a time",
                  plural(use.workers, "loader worker"),
                  100 * use.split->lock),
      gain);
  finding.fixes = {{.key = "data.preprocessing_mode",
                    .flag = "--set data.preprocessing_mode=precompute (after qanat precompute)",
                    .predicted_step = gain.step_if_fixed,
                    .value = "precompute"}};
  finding.may_be_wrong = "more workers make it worse; what they share has to be split";
  return {.finding = std::move(finding)};
}

RuleOutcome buffer_too_shallow(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::shallow_buffer)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const bool is_serial = use.window == 0;
  const Fix fix = deeper_buffer(
      input, window_wanted(input).value_or(is_serial ? kUsualWindow : 2 * use.window));
  Finding finding = waiting_finding(
      input,
      "DL005",
      is_serial
          ? std::string("nothing is loaded ahead: the device waits while each batch is made")
          : fmt::format(
                "workers idle {:.0f} % of their time, yet the device waits: {} batches of buffer "
                "are too few for how much preparing them varies",
                100 * (1 - use.busy),
                use.window),
      gain_of_fix(input, fix));
  finding.evidence.push_back(
      {.metric = "buffer_size", .value = static_cast<double>(use.window), .unit = "batches"});
  finding.fixes = {fix};
  finding.may_be_wrong = "the workers were held up by something that is not journalled";
  return {.finding = std::move(finding)};
}

RuleOutcome too_many_workers(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::oversubscribed)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const int cores = *allowed_cores_of(input.trace);
  const double queued = use.split->run_queue;
  const std::optional<double> predicted = predict_step(input, {.work = 1 - queued});
  const Gain gain = predicted ? gain_of_prediction(input.measures, *predicted)
                              : gain_if_data_were_free(input.measures);
  Finding finding = waiting_finding(
      input,
      "DL006",
      fmt::format("this program has more threads at work than its {} cores: loader workers wait "
                  "for a core {:.0f} % of the time",
                  cores,
                  100 * queued),
      gain);
  if (use.workers > cores) {
    finding.fixes = {{.key = "data.num_workers",
                      .flag = fmt::format("--num-workers {}", std::max(1, cores - 1)),
                      .value = std::to_string(std::max(1, cores - 1))}};
  } else {
    finding.fixes = {{.key = "system",
                      .flag = "find what else computes in this program: top -H -p PID",
                      .predicted_step = gain.step_if_fixed}};
  }
  finding.may_be_wrong = "the threads are needed, and the machine is too small";
  return {.finding = std::move(finding)};
}

RuleOutcome slow_epoch_start(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::epoch_start)) {
    return *other;
  }
  const RunMeasures& m = input.measures;
  Finding finding = waiting_finding(
      input, "DL010", "the device waits at the start of every epoch", gain_if_data_were_free(m));
  finding.fixes = {{.key = "data.pipeline_buffer_size",
                    .flag = fmt::format("--buffer-size {}", std::max(8, 2 * m.loader->window)),
                    .predicted_step = finding.gain.step_if_fixed,
                    .value = std::to_string(std::max(8, 2 * m.loader->window))}};
  finding.may_be_wrong = "the first batches of an epoch are unlike the others";
  return {.finding = std::move(finding)};
}

RuleOutcome straggling_files(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::stragglers)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const Stragglers far = find_stragglers(use.row_times);
  const double rows = std::max(use.rows, 1.0) /
                      std::max(static_cast<double>(input.measures.steady.size()), kWorstDivision);
  const std::optional<double> predicted =
      predict_step(input, {.work = 1 - far.time, .longest_work = 4 * rows * far.median});
  const Gain gain = predicted ? gain_of_prediction(input.measures, *predicted)
                              : gain_if_data_were_free(input.measures);
  std::string worst = use.slowest.empty() ? std::string() : ", first of all " + use.slowest[0].file;
  Finding finding =
      waiting_finding(input,
                      "DL011",
                      fmt::format("{:.1f} % of the files take {:.0f} % of the workers' time{}",
                                  100 * far.rows,
                                  100 * far.time,
                                  worst),
                      gain);
  finding.evidence.push_back({.metric = "longest_row", .value = far.longest, .unit = "s"});
  finding.evidence.push_back({.metric = "median_row", .value = far.median, .unit = "s"});
  finding.fixes = {{.key = "system",
                    .flag = "store these files like the others (format, rate, disk), or leave them "
                            "out; the journal lists the slowest",
                    .predicted_step = gain.step_if_fixed}};
  if (const std::optional<int> window = window_wanted(input)) {
    finding.fixes.push_back(deeper_buffer(input, *window));
  }
  finding.may_be_wrong = "other files would be slow in another run: storage stalls now and then";
  return {.finding = std::move(finding)};
}

RuleOutcome held_up_by_machine(const RuleInput& input) {
  const WaitCause cause = find_wait_cause(input);
  const bool is_mine =
      cause == WaitCause::neighbours || cause == WaitCause::memory || cause == WaitCause::quota;
  if (auto other = settled(input, is_mine ? cause : WaitCause::neighbours)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const BusySplit split = use.split.value_or(BusySplit{});
  const bool is_memory = cause == WaitCause::memory;
  const std::string title =
      is_memory ? fmt::format(
                      "workers wait for pages that memory could not hold: {:.1f} for every "
                      "row",
                      use.faults_per_row)
      : cause == WaitCause::quota
          ? std::string("a processor quota stops the workers")
          : fmt::format(
                "other programs use the cores: loader workers wait for one {:.0f} % of the "
                "time",
                100 * split.run_queue);
  // What bringing pages back costs is partly waiting and partly computing: all of it would go.
  const std::optional<double> predicted =
      is_memory ? std::nullopt : predict_step(input, {.work = 1 - split.run_queue});
  Finding finding = waiting_finding(input,
                                    "DL013",
                                    title,
                                    predicted ? gain_of_prediction(input.measures, *predicted)
                                              : gain_if_data_were_free(input.measures));
  finding.evidence.push_back(
      {.metric = "major_faults_per_row", .value = use.faults_per_row, .unit = "faults"});
  finding.fixes = {{.key = "system",
                    .flag = is_memory ? "free memory, or give the run more; a smaller "
                                        "pipeline.feature_cache and memory_budget take less"
                                      : "run elsewhere, or when the machine is free",
                    .predicted_step = finding.gain.step_if_fixed}};
  finding.may_be_wrong = "it is over when the run is repeated";
  return {.finding = std::move(finding)};
}

}  // namespace qanat
