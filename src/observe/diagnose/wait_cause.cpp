#include "diagnose/wait_cause.h"

#include <algorithm>
#include <array>

#include "diagnose/core_use.h"
#include "diagnose/loop_use.h"
#include "diagnose/what_if.h"
#include "locale/messages/findings_data.h"
#include "locale/messages/findings_loop.h"

namespace qanat {
namespace {

constexpr double kBusyWorkers = 0.85;    // of their time: the loader gives all it has
constexpr double kLockedWorkers = 0.35;  // of their busy time
constexpr double kQueuedWorkers = 0.25;
constexpr double kFastWorkers = 0.5;  // of their time, at most: they could give twice as much
constexpr double kQueuedWait = 0.5;   // of the waiting, that the loader's threads had no core
constexpr double kBlockedWorkers = 0.40;
constexpr double kFaultsPerRow = 1;
constexpr double kThrottledPeriods = 0.1;
constexpr double kIdleCore = 0.6;       // of a core that nobody used: room for a worker
constexpr double kFullCores = 0.8;      // of all: the process itself fills them
constexpr double kRareRows = 0.12;      // of all rows may be stragglers: more are no exception
constexpr double kStragglerTime = 0.3;  // of the workers' time
constexpr double kAtEpochStart = 0.7;   // of all waiting
constexpr std::int64_t kStartBatches = 3;
constexpr std::size_t kMinStarts = 2;
constexpr std::int64_t kReadAgain = 3;
constexpr int kDeep = 8;  // times the buffer there is
constexpr double kMinExplained = 0.5;

// Most of the waiting lies in the first batches of epochs, of which there were several.
bool waits_at_epoch_starts(const RunMeasures& m) {
  double at_start = 0;
  double all = 0;
  std::size_t starts = 0;
  std::size_t start_steps = 0;
  for (const StepRecord& step : m.steady) {
    const double wait = step.phases.wait.count();
    const bool is_start = step.epoch > 0 && step.batch < kStartBatches;
    all += wait;
    at_start += is_start ? wait : 0;
    start_steps += is_start ? 1 : 0;
    starts += is_start && step.batch == 0 ? 1 : 0;
  }
  const bool is_rare = start_steps * 4 <= m.steady.size();
  return starts >= kMinStarts && is_rare && at_start > kAtEpochStart * all;
}

// A read that hung once is no slow file: the next time it is as fast as others.
bool are_fast_again(const PipelineStats& stats) {
  return stats.slow_rows && stats.slow_rows->read_again >= kReadAgain &&
         2 * stats.slow_rows->slow_again < stats.slow_rows->read_again;
}

bool has_stragglers(const RunSummary& summary, const LoaderUse& use) {
  if (summary.pipeline && are_fast_again(*summary.pipeline)) {
    return false;
  }
  const Stragglers far = find_stragglers(use.row_times);
  return far.rows > 0 && far.rows <= kRareRows && far.time >= kStragglerTime;
}

// The process itself wants more than there is, or others take it.
WaitCause contention(const RuleInput& input, const LoaderUse& use) {
  const std::optional<int> cores = allowed_cores_of(input.summary);
  const bool fills_all = cores && use.process_cores && *use.process_cores >= kFullCores * *cores;
  return fills_all ? WaitCause::oversubscribed : WaitCause::neighbours;
}

// A good part of the quota's periods ended before their time.
bool is_throttled(const RunSummary& summary) {
  if (!summary.host) {
    return false;
  }
  const Reading<double> periods = summary.host->growth(&HostCounters::periods);
  const Reading<double> stopped = summary.host->growth(&HostCounters::throttled_periods);
  return periods && stopped && *periods > 0 && *stopped >= kThrottledPeriods * *periods;
}

// What the workers' busy time went to, when it was not computing.
std::optional<WaitCause> cause_in_rows(const RuleInput& input, const LoaderUse& use) {
  const BusySplit split = use.split.value_or(BusySplit{});
  if (is_throttled(input.summary)) {
    return WaitCause::quota;
  }
  if (use.faults_per_row >= kFaultsPerRow && split.computing < 0.5) {
    return WaitCause::memory;
  }
  if (split.run_queue >= kQueuedWorkers && split.run_queue >= std::max(split.lock, split.blocked)) {
    return contention(input, use);
  }
  if (split.lock >= kLockedWorkers) {
    return WaitCause::lock;
  }
  if (has_stragglers(input.summary, use)) {
    return WaitCause::stragglers;
  }
  return std::nullopt;
}

WaitCause cause_of_busy_workers(const RuleInput& input, const LoaderUse& use) {
  if (use.split && use.split->blocked >= kBlockedWorkers) {
    return WaitCause::storage;
  }
  const std::optional<int> cores = allowed_cores_of(input.summary);
  if (!cores) {
    return WaitCause::unknown;
  }
  // Without a measurement the device is taken to keep one core busy.
  const double used = use.process_cores.value_or(use.workers + 1);
  return *cores - used >= kIdleCore ? WaitCause::few_workers : WaitCause::computing;
}

// Workers are fast enough, and other programs keep their batches: a thread that hands one over, or
// takes it, is ready and has no core, for as long as most of the waiting lasts.
bool is_handed_over_late(const RuleInput& input, const LoaderUse& loader) {
  if (wait_without_core(input.summary) >= kQueuedWait) {
    return true;  // the loop has its batch, and no core to take it
  }
  const double at_work = loader.busy * (1 - loader.split.value_or(BusySplit{}).run_queue);
  if (!input.summary.host || at_work > kFastWorkers) {
    return false;
  }
  const Reading<CoreUse> use = core_use(*input.summary.host);
  const Reading<Neighbours> others = input.summary.host->neighbours();
  const RunMeasures& m = input.measures;
  return use && others && (*others).is_busy() &&
         (*use).loader_queued >= kQueuedWait * m.share(m.breakdown.wait);
}

// Whether a deep buffer would take most of the waiting away. Of Qanat's own loader the timeline of
// every batch is known, and rules say what a buffer gains; a loop of somebody else's may wait for
// what nobody has measured.
bool is_evened_out(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (input.summary.trained_by != TrainedBy::torch || m.loader->window == 0) {
    return true;
  }
  const std::optional<double> step = predict_step(input, {.window = kDeep * m.loader->window});
  return !step || m.mean_step - *step >= kMinExplained * m.breakdown.wait.count();
}

struct CauseWords {
  WaitCause cause;
  std::string_view rule{};
  MessageId words{};
};

CauseWords words_about(WaitCause cause) {
  static constexpr auto kWords = std::to_array<CauseWords>({
      {WaitCause::quota, "HOST002", msg::cause_quota::id},
      {WaitCause::memory, "HOST007", msg::cause_memory::id},
      {WaitCause::lock, "DL004", msg::cause_lock::id},
      {WaitCause::neighbours, "HOST005", msg::cause_neighbours::id},
      {WaitCause::oversubscribed, "DL006", msg::cause_oversubscribed::id},
      {WaitCause::storage, "DL001", msg::cause_storage::id},
      {WaitCause::stragglers, "DL011", msg::cause_stragglers::id},
      {WaitCause::few_workers, "DL002", msg::cause_few_workers::id},
      {WaitCause::computing, "DL003", msg::cause_computing::id},
      {WaitCause::own_process, "DL016", msg::cause_own_process::id},
      {WaitCause::unequal, "DL014", msg::cause_unequal::id},
      {WaitCause::epoch_start, "DL010", msg::cause_epoch_start::id},
      {WaitCause::shallow_buffer, "DL005", msg::cause_shallow_buffer::id},
      {WaitCause::unexplained, "DL017", msg::cause_unexplained::id},
  });
  const auto* const found = std::ranges::find(kWords, cause, &CauseWords::cause);
  return found == kWords.end() ? CauseWords{cause} : *found;
}

}  // namespace

Message to_message(WaitCause cause) {
  return {.id = words_about(cause).words};
}

std::string_view rule_of(WaitCause cause) {
  return words_about(cause).rule;
}

std::optional<int> allowed_cores_of(const RunSummary& summary) {
  const std::optional<int>& cores = summary.run.allowed_cores;
  return cores ? std::optional(std::clamp(*cores, 1, 1 << 16)) : std::nullopt;
}

WaitCause find_wait_cause(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (!(m.share(m.breakdown.wait) >= kMinReportableGain)) {
    return WaitCause::none;
  }
  if (!m.loader) {
    return WaitCause::unknown;
  }
  if (waits_at_epoch_starts(m)) {
    return WaitCause::epoch_start;
  }
  if (works_while_it_waits(input.summary)) {
    return WaitCause::own_process;
  }
  if (unequal_workers(input.summary)) {
    return WaitCause::unequal;
  }
  if (const std::optional<WaitCause> cause = cause_in_rows(input, *m.loader)) {
    return *cause;
  }
  if (m.loader->busy >= kBusyWorkers) {
    return cause_of_busy_workers(input, *m.loader);
  }
  if (is_handed_over_late(input, *m.loader)) {
    return WaitCause::neighbours;
  }
  return is_evened_out(input) ? WaitCause::shallow_buffer : WaitCause::unexplained;
}

}  // namespace qanat
