#include "diagnose/what_if.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "diagnose/gain.h"
#include "diagnose/replay.h"
#include "diagnose/rule_parts.h"

namespace qanat {
namespace {

constexpr double kEnough = 0.01;  // of the step: waiting that is left
constexpr int kMaxWindow = 50;    // that a run takes without being asked
constexpr int kMaxWorkers = 1024;
constexpr std::size_t kMaxReplayed = 4096;  // batches: more say nothing new
constexpr std::int64_t kMaxDrawn = 64;      // rows of a batch
constexpr std::size_t kMinDrawn = 1024;     // batches
constexpr std::size_t kUsualPrefetch = 2;   // batches per worker of a DataLoader
constexpr unsigned kDraws = 1;
constexpr double kMinOwn = 0.01;  // of the recorded step, that stays whatever is saved

// The times of the latest steady steps, batch by batch, and of filling these batches.
struct RecordedTimes {
  std::vector<double> produce;
  std::vector<double> consume;
};

// What a step takes besides waiting, with what the change takes from each of its parts.
class OwnTime {
 public:
  OwnTime(const RunMeasures& m, const WhatIf& change) {
    const PartSeconds mean = seconds_by_part(m.breakdown);
    for (std::size_t part = 0; part < mean.size(); ++part) {
      const bool is_rest = part == static_cast<std::size_t>(BreakdownPart::unknown);
      const double all = is_rest ? (m.breakdown.total() - m.breakdown.wait).count() : mean[part];
      left_[part] = all > 0 ? std::clamp(1 - change.saved[part] / all, 0.0, 1.0) : 1;
    }
  }

  double of(const StepPhases& phases) const {
    constexpr auto kWait = static_cast<std::size_t>(BreakdownPart::wait);
    constexpr auto kRest = static_cast<std::size_t>(BreakdownPart::unknown);
    const PartSeconds parts = seconds_by_part(phases);
    double own = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      own += part == kWait ? 0 : parts[part] * (part == kRest ? 1 : left_[part]);
    }
    const double now = (phases.total() - phases.wait).count();
    return std::max(own * left_[kRest], kMinOwn * now);
  }

 private:
  PartSeconds left_{};  // of what it took
};

std::size_t batches_of(const StepRecord& step) {
  return static_cast<std::size_t>(std::clamp(step.batches, 1, 1024));
}

bool is_torch(const RuleInput& input) {
  return input.summary.trained_by == TrainedBy::torch && input.measures.loader;
}

// Nothing is known of single batches of a DataLoader: their rows are drawn from those that were
// counted, so that they are as uneven as those of the run.
std::vector<double> drawn_batches(const RuleInput& input, std::size_t count) {
  const LoaderUse& use = *input.measures.loader;
  std::vector<double> batches(count, use.work_per_batch);
  const std::int64_t rows = use.row_times.total();
  const PipelineStats& stats = *input.summary.pipeline;
  if (rows <= 0 || stats.batches <= 0 || use.work_per_batch <= 0) {
    return batches;
  }
  const auto each =
      static_cast<std::size_t>(std::clamp<std::int64_t>(stats.rows / stats.batches, 1, kMaxDrawn));
  const auto& counts = use.row_times.counts;
  std::discrete_distribution<std::size_t> buckets(counts.begin(), counts.end());
  std::mt19937 random(kDraws);  // the same for every change: only that makes them differ
  double all = 0;
  for (double& batch : batches) {
    batch = 0;
    for (std::size_t i = 0; i < each; ++i) {
      batch += LogHistogram::middle_of(buckets(random)).count();
    }
    all += batch;
  }
  const double scale = use.work_per_batch * static_cast<double>(count) / all;
  std::ranges::for_each(batches, [scale](double& batch) { batch *= scale; });
  return batches;
}

// So that what is drawn does not depend on a few draws; a run that is too short stays so.
void repeat(std::vector<double>& times, std::size_t least) {
  const std::size_t once = times.size();
  for (std::size_t i = 0; once >= kMinSteps && times.size() < least; ++i) {
    const double time = times[i];
    times.push_back(time);
  }
}

RecordedTimes recorded_times(const RuleInput& input, const WhatIf& change) {
  RecordedTimes times;
  const OwnTime own(input.measures, change);
  const std::vector<StepRecord>& steps = input.measures.steady;
  const std::size_t first = steps.size() - std::min(steps.size(), kMaxReplayed);
  for (std::size_t i = first; i < steps.size(); ++i) {
    const std::size_t batches = batches_of(steps[i]);
    const double each = std::max(0.0, own.of(steps[i].phases)) / static_cast<double>(batches);
    times.consume.insert(times.consume.end(), batches, each);
  }
  if (is_torch(input)) {
    repeat(times.consume, kMinDrawn);
    times.produce = drawn_batches(input, times.consume.size());
    return times;
  }
  const std::deque<SlotRecord>& slots = input.summary.slots;
  const std::size_t count = std::min(times.consume.size(), slots.size());
  times.consume.erase(times.consume.begin(),
                      times.consume.end() - static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = slots.size() - count; i < slots.size(); ++i) {
    times.produce.push_back(std::max(slots[i].work.count(), 0.0));
  }
  return times;
}

double batches_per_step(const RunMeasures& m) {
  double batches = 0;
  for (const StepRecord& step : m.steady) {
    batches += static_cast<double>(batches_of(step));
  }
  return batches / static_cast<double>(m.steady.size());
}

std::size_t positive(int value) {
  return static_cast<std::size_t>(std::clamp(value, 1, 1 << 16));
}

// Workers of a DataLoader make whole batches, in turn; without any, the loop makes them itself.
double pace_of_torch(const RecordedTimes& times, const LoaderUse& use, const WhatIf& change) {
  const int workers = change.workers.value_or(use.workers);
  if (workers <= 0 && !change.window) {
    const double all = std::accumulate(times.produce.begin(), times.produce.end(), 0.0) +
                       std::accumulate(times.consume.begin(), times.consume.end(), 0.0);
    return all / static_cast<double>(times.produce.size());
  }
  const std::size_t each = use.workers > 0 ? positive(use.window / use.workers) : kUsualPrefetch;
  const std::size_t window = change.window ? positive(*change.window) : each * positive(workers);
  return replay_queue(times.produce,
                      times.consume,
                      {.workers = positive(workers), .depth = window, .in_turn = true})
      .seconds_per_item;
}

// s per batch.
double pace(const RecordedTimes& times, const LoaderUse& use, const WhatIf& change, bool of_torch) {
  if (of_torch) {
    return pace_of_torch(times, use, change);
  }
  // Workers share the rows of a batch: together they are one that is as many times as fast.
  const double workers = static_cast<double>(positive(change.workers.value_or(use.workers)));
  return replay_queue(times.produce,
                      times.consume,
                      {.workers = 1,
                       .depth = positive(change.window.value_or(use.window)) + positive(use.slots),
                       .produce_scale = 1 / workers})
      .seconds_per_item;
}

// s per step as the replay has it.
std::optional<double> replay_step(const RuleInput& input, const WhatIf& change) {
  RecordedTimes times = recorded_times(input, change);
  const bool is_known = std::ranges::any_of(times.produce, [](double work) { return work > 0; });
  if (times.produce.size() < kMinSteps || !is_known || !input.measures.loader) {
    return std::nullopt;
  }
  const LoaderUse& use = *input.measures.loader;
  const double most = change.longest_work.value_or(std::numeric_limits<double>::infinity());
  for (double& work : times.produce) {
    work = std::min(work * change.work, most);
  }
  return pace(times, use, change, is_torch(input)) * batches_per_step(input.measures);
}

// `misfit`: s by which the replay that predicted is off the run.
Gain gain_within(const RunMeasures& m, double predicted, double misfit, GainMethod method) {
  const Gain free = gain_if_data_were_free(m);
  const double saved = std::clamp(m.mean_step - predicted, 0.0, m.mean_step);
  const double all = free.seconds_saved();
  const auto saved_at = [&](double speedup) { return m.mean_step * (1 - 1 / speedup); };
  const double part = all > 0 ? std::min(saved / all, 1.0) : 0;
  const double off = part * std::min(misfit, saved / 2);
  return make_gain(m.mean_step,
                   {.seconds = saved,
                    .range = {.low = saved - part * (all - saved_at(free.ci95.low)) - off,
                              .high = saved + part * (saved_at(free.ci95.high) - all) + off}},
                   method);
}

double own_step(const RunMeasures& m) {
  return m.mean_step - m.breakdown.wait.count();
}

}  // namespace

std::optional<double> predict_step(const RuleInput& input, const WhatIf& change) {
  const std::optional<double> now = replay_step(input, {});
  const std::optional<double> then = now ? replay_step(input, change) : std::nullopt;
  if (!then) {
    return std::nullopt;
  }
  // What the replay does not explain of the run stays as it is; what is no waiting stays, too,
  // but for what the change takes from it.
  const OwnTime own(input.measures, change);
  const double least =
      std::max(own.of(input.measures.breakdown), kMinOwn * input.measures.mean_step);
  return std::max(input.measures.mean_step - (*now - *then), least);
}

Gain gain_if_data_were_free(const RunMeasures& measures) {
  return gain_without(measures, wait_of);
}

Gain gain_of_less_waiting(const RunMeasures& measures, double predicted) {
  return gain_within(measures, predicted, 0, GainMethod::breakdown);
}

Gain gain_of_prediction(const RuleInput& input, double predicted) {
  const double now = input.measures.mean_step;
  const double misfit = std::abs(replay_step(input, {}).value_or(now) - now);
  return gain_within(input.measures, predicted, misfit, GainMethod::replay);
}

WhatIf merged(WhatIf first, const WhatIf& second) {
  const auto larger = [](std::optional<int>& mine, std::optional<int> other) {
    mine = mine && other ? std::max(mine, other) : (mine ? mine : other);
  };
  larger(first.workers, second.workers);
  larger(first.window, second.window);
  first.work *= second.work;
  if (second.longest_work) {
    first.longest_work =
        std::min(first.longest_work.value_or(*second.longest_work), *second.longest_work);
  }
  for (std::size_t part = 0; part < first.saved.size(); ++part) {
    first.saved[part] += second.saved[part];
  }
  return first;
}

int workers_wanted(const RuleInput& input, int most) {
  const int now = input.measures.loader ? input.measures.loader->workers : 1;
  const int limit = std::clamp(most, now + 1, std::max(kMaxWorkers, now + 1));
  const double best = predict_step(input, {.workers = limit}).value_or(0);
  for (int workers = now + 1; workers < limit; ++workers) {
    const std::optional<double> predicted = predict_step(input, {.workers = workers});
    if (!predicted || *predicted <= best + kEnough * own_step(input.measures)) {
      return workers;
    }
  }
  return limit;
}

std::optional<int> window_wanted(const RuleInput& input) {
  if (!input.measures.loader || input.measures.loader->window <= 0) {
    return std::nullopt;  // without a buffer any one will do
  }
  const int now = input.measures.loader->window;
  std::optional<int> best;
  double least = predict_step(input, {}).value_or(0);
  for (int window = 2 * now; window <= std::max(kMaxWindow, 2 * now); window *= 2) {
    const std::optional<double> predicted = predict_step(input, {.window = window});
    if (!predicted) {
      return std::nullopt;
    }
    if (*predicted < (1 - kEnough) * least) {
      least = *predicted;
      best = window;
    }
    if (*predicted <= (1 + kEnough) * own_step(input.measures)) {
      break;
    }
  }
  return best;
}

}  // namespace qanat
