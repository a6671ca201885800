#include "diagnose/run_measures.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "diagnose/gain.h"
#include "diagnose/intervals.h"

namespace qanat {
namespace {

std::vector<double> wall_times(const std::vector<StepRecord>& steps) {
  std::vector<double> seconds;
  seconds.reserve(steps.size());
  for (const StepRecord& step : steps) {
    seconds.push_back(step.phases.total().count());
  }
  return seconds;
}

StepPhases mean_phases(const std::vector<StepRecord>& steps) {
  StepPhases sum;
  for (const StepRecord& step : steps) {
    sum += step.phases;
  }
  visit_phases(sum, [&steps](std::string_view, Seconds& part) {
    part /= static_cast<double>(std::max<std::size_t>(steps.size(), 1));
  });
  return sum;
}

void measure_steady(RunMeasures& m) {
  m.breakdown = mean_phases(m.steady);
  m.mean_step = mean(m.seconds);
  m.mean_interval = mean_interval(m.seconds);
  m.effective_steps = effective_count(m.seconds);
  double frames = 0;
  for (const StepRecord& step : m.steady) {
    m.padded.push_back(static_cast<double>(step.all_padded()));
    frames += static_cast<double>(step.frames);
  }
  const double padded = mean(m.padded) * static_cast<double>(m.padded.size());
  m.frames_per_second = frames / (m.mean_step * static_cast<double>(m.seconds.size()));
  m.padding_share = padded > 0 ? 1 - frames / padded : 0;
  std::vector<double> busy;
  for (const StepRecord& step : m.steady) {
    busy.push_back(step.phases.busy().count());
  }
  m.work = fit_work(m.seconds, m.padded);
  m.busy_work = fit_work(busy, m.padded);
  m.adjusted = adjust_for_work(m.seconds, m.padded, m.work);
  m.spread = measure_spread(m.adjusted);
  m.trend = remove_trend(m.adjusted);
  m.periodicity = test_periodicity(m.adjusted);
}

// The steps that lived on what was loaded before the run, and what has not settled after them.
WarmUp cut_beginning(const RunSummary& summary, const std::vector<StepRecord>& steps) {
  const auto batches = static_cast<std::size_t>(std::clamp(steps.front().batches, 1, 1024));
  std::vector<double> busy;
  busy.reserve(steps.size());
  for (const StepRecord& step : steps) {
    busy.push_back(step.phases.busy().count());
  }
  std::vector<double> ready;
  if (summary.slots.size() == steps.size() * batches) {  // otherwise the first ones are not known
    std::ranges::transform(summary.slots, std::back_inserter(ready), ready_time);
  }
  std::size_t prefill =
      steps_on_prefill(ready, median(busy) / static_cast<double>(batches)) / batches;
  if (prefill + kMinSteps > steps.size()) {
    prefill = 0;  // too few would be left to judge by
  }
  const std::vector<double> seconds = wall_times(steps);
  WarmUp warm_up = find_warm_up(std::span(seconds).subspan(prefill));
  warm_up.steps += prefill;
  return warm_up;
}

// As the configuration of the run has it, which anybody may have written.
std::optional<std::string> task_of(const nlohmann::json& config) {
  const nlohmann::json::json_pointer task("/training/task");
  return config.contains(task) && config.at(task).is_string()
             ? std::optional(config.at(task).get<std::string>())
             : std::nullopt;
}

}  // namespace

RunMeasures measure_run(const RunSummary& summary) {
  RunMeasures measures;
  measures.name = summary.name;
  measures.task = task_of(summary.config);
  measures.ending = summary.ending;
  measures.steady.assign(summary.steps.begin(), summary.steps.end());
  measures.steps = measures.steady.size();
  if (measures.steady.empty()) {
    return measures;
  }
  measures.warm_up = cut_beginning(summary, measures.steady);
  measures.steady.erase(
      measures.steady.begin(),
      measures.steady.begin() + static_cast<std::ptrdiff_t>(measures.warm_up.steps));
  measures.seconds = wall_times(measures.steady);
  measure_steady(measures);
  if (summary.journal_seconds && summary.steps_before == 0) {
    double all = 0;
    for (const StepRecord& step : summary.steps) {
      all += step.phases.total().count();
    }
    measures.journal_share = all > 0 ? std::optional(*summary.journal_seconds / all) : std::nullopt;
  }
  measures.ranks = compare_ranks(summary, measures.steady);
  measures.loader = measure_loader(summary,
                                   static_cast<std::int64_t>(measures.warm_up.steps) *
                                       std::clamp(measures.steady.front().batches, 1, 1024));
  return measures;
}

Gain gain_without(const RunMeasures& measures, double (*part)(const StepRecord&)) {
  std::vector<double> left;
  left.reserve(measures.steady.size());
  for (std::size_t i = 0; i < measures.steady.size(); ++i) {
    left.push_back(std::max(0.0, measures.seconds[i] - part(measures.steady[i])));
  }
  const double now = measures.mean_step;
  const double after = mean(left);
  if (!(after > 0)) {
    return make_gain(
        now, {.seconds = now, .range = {.low = now, .high = now}}, GainMethod::breakdown);
  }
  const Range ratio = ratio_interval(measures.seconds, left);
  const auto saved_at = [now](double speedup) { return speedup > 1 ? now * (1 - 1 / speedup) : 0; };
  return make_gain(
      now,
      {.seconds = now - after, .range = {.low = saved_at(ratio.low), .high = saved_at(ratio.high)}},
      GainMethod::breakdown);
}

}  // namespace qanat
