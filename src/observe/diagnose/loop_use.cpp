#include "diagnose/loop_use.h"

#include <algorithm>
#include <map>

namespace qanat {
namespace {

constexpr std::int64_t kMinWaits = 10;  // samples
constexpr double kMinOwnWaits = 0.6;
constexpr double kMinAtWork = 0.4;      // of the waiting: samples of work less that without a core
constexpr double kMuchSlower = 2;       // times the others
constexpr double kFarSlower = 4;        // times the others: more than other programs make of it
constexpr double kHeldBack = 0.85;      // of its time, that the slow one is at work
constexpr double kOftenHeldBack = 0.7;  // where it is far slower: others hold the loop up, too
constexpr double kIdle = 0.75;          // at most, that the others are
constexpr double kNoRows = 0.02;        // of all rows: a worker that has none
constexpr std::int64_t kMinRows = 16;

double busy_share(const WorkerStats& worker) {
  const double present = (worker.busy + worker.blocked + worker.starved).count();
  return present > 0 ? worker.busy.count() / present : 0;
}

double row_time(const WorkerStats& worker) {
  return worker.rows > 0 ? worker.busy.count() / static_cast<double>(worker.rows) : 0;
}

// One has all the rows, and is at work all the time.
std::optional<UnequalWorkers> one_with_all_rows(const PipelineStats& stats) {
  const auto most = std::ranges::max_element(stats.workers, {}, &WorkerStats::rows);
  const auto rest = static_cast<double>(stats.rows - most->rows);
  if (rest > kNoRows * static_cast<double>(stats.rows) || busy_share(*most) < kHeldBack) {
    return std::nullopt;
  }
  const double batch = most->busy.count() / static_cast<double>(stats.batches);
  return UnequalWorkers{.worker = static_cast<int>(most - stats.workers.begin()),
                        .slow_batch = batch,
                        .fast_batch = batch,
                        .workers = static_cast<int>(stats.workers.size())};
}

}  // namespace

double share_of_place(const RuleInput& input, std::string_view place) {
  const RunSummary& summary = input.summary;
  if (!summary.loop) {
    return 0;
  }
  const auto found = summary.loop->places.find(std::string(place));
  const auto steps = static_cast<double>(summary.num_steps());
  if (found == summary.loop->places.end() || steps == 0 || input.measures.mean_step <= 0) {
    return 0;
  }
  return std::clamp(found->second / steps / input.measures.mean_step, 0.0, 1.0);
}

std::optional<LoopFunction> function_in(const LoopSample& loop, std::string_view part) {
  std::map<std::string, LoopFunction> functions;
  for (const LoopSample::Line& line : loop.lines) {  // those seen most often first
    if (line.part == part) {
      LoopFunction& one = functions[line.function];
      one.function = line.function;
      one.line = one.line.empty() ? line.line : one.line;
      one.samples += line.samples;
    }
  }
  if (functions.empty() || loop.samples <= 0) {
    return std::nullopt;
  }
  LoopFunction most = std::ranges::max_element(functions, {}, [](const auto& one) {
                        return one.second.samples;
                      })->second;
  most.share = static_cast<double>(most.samples) / static_cast<double>(loop.samples);
  return most;
}

double wait_without_core(const RunSummary& summary) {
  if (!summary.loop || !summary.pipeline) {
    return 0;
  }
  const auto found = summary.loop->places.find(std::string(kWithoutCore));
  const double waited = summary.pipeline->ready.pop_wait.total.count();
  return found != summary.loop->places.end() && waited > 0
             ? std::clamp(found->second / waited, 0.0, 1.0)
             : 0;
}

bool works_while_it_waits(const RunSummary& summary) {
  if (!summary.loop || !summary.pipeline || summary.pipeline->active_workers == 0) {
    return false;
  }
  std::int64_t all = 0;
  std::int64_t own = 0;
  for (const auto& [what, samples] : summary.loop->waits) {
    all += samples;
    own += what == "wait:index" || what == "wait:receive" ? samples : 0;
  }
  const double share = all > 0 ? static_cast<double>(own) / static_cast<double>(all) : 0;
  return own >= kMinWaits && share >= kMinOwnWaits &&
         share - wait_without_core(summary) >= kMinAtWork;
}

std::optional<UnequalWorkers> unequal_workers(const RunSummary& summary) {
  if (summary.trained_by != TrainedBy::torch || !summary.pipeline ||
      summary.pipeline->workers.size() < 2 || summary.pipeline->batches == 0) {
    return std::nullopt;
  }
  const PipelineStats& stats = *summary.pipeline;
  if (std::optional<UnequalWorkers> one = one_with_all_rows(stats)) {
    return one;
  }
  const auto slow = std::ranges::max_element(stats.workers, {}, row_time);
  double busy = 0;
  double rows = 0;
  double at_work = 0;
  for (const WorkerStats& worker : stats.workers) {
    if (worker.rows < kMinRows) {
      return std::nullopt;
    }
    if (&worker != &*slow) {
      busy += worker.busy.count();
      rows += static_cast<double>(worker.rows);
      at_work = std::max(at_work, busy_share(worker));
    }
  }
  const double times = busy > 0 ? row_time(*slow) / (busy / rows) : 0;
  const double held_back = times >= kFarSlower ? kOftenHeldBack : kHeldBack;
  if (times < kMuchSlower || busy_share(*slow) < held_back || at_work > kIdle) {
    return std::nullopt;
  }
  const double rows_of_batch = static_cast<double>(stats.rows) / static_cast<double>(stats.batches);
  return UnequalWorkers{.worker = static_cast<int>(slow - stats.workers.begin()),
                        .times = times,
                        .slow_batch = rows_of_batch * row_time(*slow),
                        .fast_batch = rows_of_batch * busy / rows,
                        .workers = static_cast<int>(stats.workers.size())};
}

double step_in_turn(const UnequalWorkers& workers, double own) {
  return std::max(own, workers.slow_batch / workers.workers);
}

double step_out_of_turn(const UnequalWorkers& workers, double own) {
  const double per_second = 1 / workers.slow_batch + (workers.workers - 1) / workers.fast_batch;
  return std::max(own, 1 / per_second);
}

}  // namespace qanat
