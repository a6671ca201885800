#include "diagnose/what_if.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "diagnose/replay.h"
#include "diagnose/rule_parts.h"

namespace qanat {
namespace {

constexpr double kEnough = 0.01;  // of the step: waiting that is left
constexpr int kMaxWindow = 50;    // that a run takes without being asked
constexpr int kMaxWorkers = 1024;

// The times of the latest steady steps, batch by batch, and of filling these batches.
struct RecordedTimes {
  std::vector<double> produce;
  std::vector<double> consume;
};

RecordedTimes recorded_times(const RuleInput& input) {
  RecordedTimes times;
  for (const StepRecord& step : input.measures.steady) {
    const int batches = std::clamp(step.batches, 1, 1024);
    const double own = (step.phases.total() - step.phases.wait).count() / batches;
    times.consume.insert(
        times.consume.end(), static_cast<std::size_t>(batches), std::max(own, 0.0));
  }
  if (input.summary.trained_by == TrainedBy::torch && input.measures.loader) {
    // Nothing is known of single batches: the mean stands for each.
    times.produce.assign(times.consume.size(), input.measures.loader->work_per_batch);
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
    batches += std::clamp(step.batches, 1, 1024);
  }
  return batches / static_cast<double>(m.steady.size());
}

std::size_t positive(int value) {
  return static_cast<std::size_t>(std::clamp(value, 1, 1 << 16));
}

}  // namespace

std::optional<double> predict_step(const RuleInput& input, const WhatIf& change) {
  RecordedTimes times = recorded_times(input);
  if (times.produce.size() < kMinSteps || !input.measures.loader) {
    return std::nullopt;
  }
  const LoaderUse& use = *input.measures.loader;
  const double most = change.longest_work.value_or(std::numeric_limits<double>::infinity());
  for (double& work : times.produce) {
    work = std::min(work * change.work, most);
  }
  // Workers share the rows of a batch: together they are one that is as many times as fast.
  const double workers = static_cast<double>(positive(change.workers.value_or(use.workers)));
  const ReplayResult replayed =
      replay_queue(times.produce,
                   times.consume,
                   {.workers = 1,
                    .depth = positive(change.window.value_or(use.window)) + positive(use.slots),
                    .produce_scale = 1 / workers});
  return replayed.seconds_per_item * batches_per_step(input.measures);
}

Gain gain_if_data_were_free(const RunMeasures& measures) {
  return gain_without(measures, wait_of);
}

Gain gain_of_prediction(const RunMeasures& m, double predicted) {
  Gain gain = gain_if_data_were_free(m);
  const double all = gain.step_now - gain.step_if_fixed;
  const double time_saved = std::clamp(gain.step_now - predicted, 0.0, all);
  const double part = all > 0 ? time_saved / all : 0;
  gain.step_if_fixed = gain.step_now - time_saved;
  gain.speedup = gain.step_if_fixed > 0 ? gain.step_now / gain.step_if_fixed : 1;
  gain.ci95 = {.low = 1 + (gain.ci95.low - 1) * part, .high = 1 + (gain.ci95.high - 1) * part};
  gain.method = GainMethod::replay;
  return gain;
}

int workers_wanted(const RuleInput& input, int most) {
  const int now = input.measures.loader ? input.measures.loader->workers : 1;
  const double own = input.measures.mean_step - input.measures.breakdown.wait.count();
  for (int workers = now + 1; workers < std::min(most, kMaxWorkers); ++workers) {
    const std::optional<double> predicted = predict_step(input, {.workers = workers});
    if (!predicted || *predicted <= (1 + kEnough) * own) {
      return workers;
    }
  }
  return std::max(most, now + 1);
}

std::optional<int> window_wanted(const RuleInput& input) {
  if (!input.measures.loader || input.measures.loader->window <= 0) {
    return std::nullopt;  // without a buffer any one will do
  }
  const int now = input.measures.loader->window;
  const double own = input.measures.mean_step - input.measures.breakdown.wait.count();
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
    if (*predicted <= (1 + kEnough) * own) {
      break;
    }
  }
  return best;
}

}  // namespace qanat
