// Rules about feeding the device: why it waits for data. wait_cause.h decides which one of them
// speaks.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "diagnose/rule_parts.h"
#include "diagnose/wait_cause.h"
#include "diagnose/what_if.h"
#include "locale/messages/findings_data.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

constexpr int kWorkersPerCore = 4;  // that waiting for storage may be hidden with
constexpr double kWorstDivision = 1e-9;
constexpr int kUsualWindow = 8;  // batches, where there was no buffer at all

// The stage of the workers that takes most of their time.
struct StageShare {
  std::string name;
  Metric metric;
  double share = 0;
};

StageShare most_expensive_stage(const PipelineStats& stats) {
  const std::array stages = {std::pair(&stats.decode, metric::decode_share_of_workers),
                             std::pair(&stats.mel, metric::mel_share_of_workers),
                             std::pair(&stats.tokens, metric::tokens_share_of_workers),
                             std::pair(&stats.copy, metric::copy_share_of_workers)};
  Seconds total{0};
  for (const auto& [stage, metric] : stages) {
    total += stage->busy;
  }
  const auto& [stage, metric] = *std::ranges::max_element(
      stages, {}, [](const auto& candidate) { return candidate.first->busy; });
  return {stage->name, metric, total > Seconds{0} ? stage->busy / total : 0};
}

std::vector<Evidence> waiting_evidence(const RunMeasures& m) {
  const LoaderUse& use = *m.loader;
  std::vector<Evidence> evidence = {{metric::data_wait_share, m.share(m.breakdown.wait)},
                                    {metric::ready_buffer_empty_share, use.empty},
                                    {metric::workers_busy_share, use.busy},
                                    {metric::workers, static_cast<double>(use.workers)}};
  if (use.split) {
    evidence.push_back({metric::busy_computing, use.split->computing});
    evidence.push_back({metric::busy_run_queue, use.split->run_queue});
    evidence.push_back({metric::busy_lock, use.split->lock});
    evidence.push_back({metric::busy_blocked, use.split->blocked});
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
    return passed(msg::wait_ok{.share = in_percent(m.share(m.breakdown.wait), 1)});
  }
  if (cause == WaitCause::unknown) {
    return m.loader ? skipped(msg::wait_cores_unknown{})
                    : skipped(msg::skip_no_loader{}, Missing::loader);
  }
  return passed(msg::wait_other_cause{.cause = to_message(cause), .rule = rule_of(cause)});
}

Finding waiting_finding(const RuleInput& input, Message title, const Gain& gain) {
  return {.title = std::move(title),
          .severity = severity_of(gain),
          .evidence = waiting_evidence(input.measures),
          .gain = gain,
          .verify = msg::verify_rerun{},
          .part = BreakdownPart::wait};
}

// By what the recorded times give with the change; without them, as if data were free.
Finding waiting_finding(const RuleInput& input, Message title, const WhatIf& change) {
  const std::optional<double> predicted = predict_step(input, change);
  Finding finding = waiting_finding(
      input,
      std::move(title),
      predicted ? gain_of_prediction(input, *predicted) : gain_if_data_were_free(input.measures));
  finding.change = change;
  return finding;
}

// With so many workers, as far as they do not compete for cores.
Fix more_workers(const RuleInput& input, int workers) {
  return set_key("data.num_workers", workers, predict_step(input, {.workers = workers}));
}

Fix deeper_buffer(const RuleInput& input, int window) {
  return set_key("data.pipeline_buffer_size", window, predict_step(input, {.window = window}));
}

RuleOutcome slow_storage(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::storage)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const int cores = allowed_cores_of(input.summary).value_or(1);
  const int workers = workers_wanted(input, std::max(use.workers + 1, kWorkersPerCore * cores));
  Finding finding = waiting_finding(
      input,
      msg::dl001_title{.workers = use.workers, .share = in_percent(use.split->blocked)},
      WhatIf{.workers = workers});
  finding.fixes = {more_workers(input, workers), precompute_features()};
  finding.may_be_wrong = msg::dl001_wrong_if{};
  return finding;
}

RuleOutcome too_few_workers(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::few_workers)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const int cores = *allowed_cores_of(input.summary);
  const double idle = cores - use.process_cores.value_or(use.workers + 1);
  const int most = use.workers + std::max(1, static_cast<int>(std::lround(idle)));
  const int workers = workers_wanted(input, most);
  Finding finding = waiting_finding(
      input,
      msg::dl002_title{.workers = use.workers, .idle = plain(idle, 1), .cores = cores},
      WhatIf{.workers = workers});
  finding.evidence.push_back({metric::idle_cores, idle});
  finding.fixes = {more_workers(input, workers)};
  finding.may_be_wrong = msg::dl002_wrong_if{};
  return finding;
}

RuleOutcome workers_at_limit(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::computing)) {
    return *other;
  }
  const StageShare stage = most_expensive_stage(*input.summary.pipeline);
  const int cores = *allowed_cores_of(input.summary);
  const bool knows_stage = stage.share > 0;
  Finding finding = waiting_finding(
      input,
      knows_stage ? Message(msg::dl003_title{
                        .cores = cores, .share = in_percent(stage.share), .stage = stage.name})
                  : msg::dl003_title_without_stage{.cores = cores},
      gain_if_data_were_free(input.measures));
  if (knows_stage) {
    finding.evidence.push_back({stage.metric, stage.share});
  }
  finding.fixes = {precompute_features(finding.gain.step_if_fixed)};
  finding.may_be_wrong = msg::dl003_wrong_if{};
  return finding;
}

RuleOutcome lock_convoy(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::lock)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  // One that never waits for the others does the work of a row alone.
  Finding finding = waiting_finding(
      input,
      msg::dl004_title{.workers = use.workers, .share = in_percent(use.split->lock)},
      WhatIf{.work = 1 - use.split->lock});
  finding.fixes = {precompute_features(finding.gain.step_if_fixed)};
  finding.may_be_wrong = msg::dl004_wrong_if{};
  return finding;
}

Message shallow_title(const LoaderUse& use) {
  if (use.window == 0) {
    return msg::dl005_serial_title{};
  }
  return msg::dl005_title{.share = in_percent(1 - use.busy), .batches = use.window};
}

RuleOutcome buffer_too_shallow(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::shallow_buffer)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const int window = window_wanted(input).value_or(use.window == 0 ? kUsualWindow : 2 * use.window);
  Finding finding = waiting_finding(input, shallow_title(use), WhatIf{.window = window});
  finding.evidence.push_back({metric::buffer_size, static_cast<double>(use.window)});
  finding.fixes = {deeper_buffer(input, window)};
  finding.may_be_wrong = msg::dl005_wrong_if{};
  return finding;
}

RuleOutcome too_many_workers(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::oversubscribed)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const int cores = *allowed_cores_of(input.summary);
  const double queued = use.split->run_queue;
  Finding finding = waiting_finding(input,
                                    msg::dl006_title{.cores = cores, .share = in_percent(queued)},
                                    WhatIf{.work = 1 - queued});
  finding.fixes = {use.workers > cores
                       ? set_key("data.num_workers", std::max(1, cores - 1))
                       : do_this(msg::dl006_find_threads{}, finding.gain.step_if_fixed)};
  finding.may_be_wrong = msg::dl006_wrong_if{};
  return finding;
}

RuleOutcome slow_epoch_start(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::epoch_start)) {
    return *other;
  }
  const RunMeasures& m = input.measures;
  Finding finding = waiting_finding(input, msg::dl010_title{}, gain_if_data_were_free(m));
  finding.fixes = {set_key("data.pipeline_buffer_size",
                           std::max(kUsualWindow, 2 * m.loader->window),
                           finding.gain.step_if_fixed)};
  finding.may_be_wrong = msg::dl010_wrong_if{};
  return finding;
}

Message straggler_title(const LoaderUse& use, const Stragglers& far) {
  const Quantity files = in_percent(far.rows, 1);
  const Quantity share = in_percent(far.time);
  if (use.slowest.empty()) {
    return msg::dl011_title{.files = files, .share = share};
  }
  return msg::dl011_title_with_file{.files = files, .share = share, .file = use.slowest[0].file};
}

RuleOutcome straggling_files(const RuleInput& input) {
  if (auto other = settled(input, WaitCause::stragglers)) {
    return *other;
  }
  const LoaderUse& use = *input.measures.loader;
  const Stragglers far = find_stragglers(use.row_times);
  const double rows = std::max(use.rows, 1.0) /
                      std::max(static_cast<double>(input.measures.steady.size()), kWorstDivision);
  Finding finding =
      waiting_finding(input,
                      straggler_title(use, far),
                      WhatIf{.work = 1 - far.time, .longest_work = 4 * rows * far.median});
  finding.evidence.push_back({metric::longest_row, far.longest});
  finding.evidence.push_back({metric::median_row, far.median});
  finding.fixes = {do_this(msg::dl011_store_alike{}, finding.gain.step_if_fixed)};
  if (const std::optional<int> window = window_wanted(input)) {
    finding.fixes.push_back(deeper_buffer(input, *window));
  }
  finding.may_be_wrong = msg::dl011_wrong_if{};
  return finding;
}

Message held_up_title(WaitCause cause, const LoaderUse& use, const BusySplit& split) {
  switch (cause) {
    case WaitCause::memory:
      return msg::dl013_memory_title{.faults = plain(use.faults_per_row, 1)};
    case WaitCause::quota:
      return msg::dl013_quota_title{};
    default:
      return msg::dl013_neighbours_title{.share = in_percent(split.run_queue)};
  }
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
  if (cause == WaitCause::neighbours && split.run_queue < kMinReportableGain) {
    return passed(msg::wait_other_cause{.cause = to_message(cause), .rule = rule_of(cause)});
  }
  const bool is_memory = cause == WaitCause::memory;
  // What bringing pages back costs is partly waiting and partly computing: all of it would go.
  Finding finding =
      is_memory
          ? waiting_finding(
                input, held_up_title(cause, use, split), gain_if_data_were_free(input.measures))
          : waiting_finding(
                input, held_up_title(cause, use, split), WhatIf{.work = 1 - split.run_queue});
  finding.evidence.push_back({metric::major_faults_per_row, use.faults_per_row});
  finding.fixes = {
      do_this(is_memory ? Message(msg::dl013_free_memory{}) : Message(msg::dl013_run_elsewhere{}),
              finding.gain.step_if_fixed)};
  finding.may_be_wrong = msg::dl013_wrong_if{};
  return finding;
}

constexpr Rule data_rule(std::string_view id,
                         RuleText text,
                         RuleOutcome (*judge)(const RuleInput&),
                         Specificity specificity = {}) {
  return {.id = id,
          .category = RuleCategory::data,
          .text = text,
          .judge = judge,
          .verdict = VerdictKind::input_bound,
          .specificity = specificity};
}

}  // namespace

std::span<const Rule> data_rules() {
  static constexpr std::array kRules = {
      data_rule("DL001",
                text_of<msg::dl001_looks_for, msg::dl001_means, msg::dl001_remedy>(),
                slow_storage),
      data_rule("DL002",
                text_of<msg::dl002_looks_for, msg::dl002_means, msg::dl002_remedy>(),
                too_few_workers),
      data_rule("DL003",
                text_of<msg::dl003_looks_for, msg::dl003_means, msg::dl003_remedy>(),
                workers_at_limit),
      data_rule("DL004",
                text_of<msg::dl004_looks_for, msg::dl004_means, msg::dl004_remedy>(),
                lock_convoy),
      data_rule("DL005",
                text_of<msg::dl005_looks_for, msg::dl005_means, msg::dl005_remedy>(),
                buffer_too_shallow),
      data_rule("DL006",
                text_of<msg::dl006_looks_for, msg::dl006_means, msg::dl006_remedy>(),
                too_many_workers),
      data_rule("DL010",
                text_of<msg::dl010_looks_for, msg::dl010_means, msg::dl010_remedy>(),
                slow_epoch_start),
      data_rule("DL011",
                text_of<msg::dl011_looks_for, msg::dl011_means, msg::dl011_remedy>(),
                straggling_files),
      data_rule("DL013",
                text_of<msg::dl013_looks_for, msg::dl013_means, msg::dl013_remedy>(),
                held_up_by_machine,
                {.of_waiting = 2}),
  };
  return kRules;
}

}  // namespace qanat
