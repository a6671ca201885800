#include "diagnose/data_profile.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace qanat {
namespace {

constexpr double kUnfelt = 0.0005;  // s: a wait this short costs a consumer nothing

std::vector<double> intervals_of(std::span<const Delivery> deliveries) {
  std::vector<double> seconds;
  seconds.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) {
    seconds.push_back(delivery.seconds);
  }
  return seconds;
}

QueueShares queue_shares(const Occupancy& occupancy) {
  const Seconds total = occupancy.total();
  if (total.count() <= 0) {
    return {};
  }
  return {.empty = occupancy.empty / total,
          .partial = occupancy.partial / total,
          .full = occupancy.full / total};
}

WorkerShares worker_shares(const PipelineStats& stats) {
  WorkerStats sum;
  for (const WorkerStats& worker : stats.workers) {
    sum.busy += worker.busy;
    sum.blocked += worker.blocked;
    sum.starved += worker.starved;
    sum.parked += worker.parked;
  }
  const Seconds total = sum.busy + sum.blocked + sum.starved + sum.parked;
  WorkerShares shares{.workers = stats.active_workers};
  if (total.count() > 0) {
    shares.busy = sum.busy / total;
    shares.blocked = sum.blocked / total;
    shares.starved = sum.starved / total;
    shares.parked = sum.parked / total;
  }
  return shares;
}

std::vector<StageCost> stage_costs(const PipelineStats& stats) {
  const std::array stages = {&stats.decode, &stats.mel, &stats.tokens, &stats.copy};
  Seconds total{0};
  for (const StageStats* stage : stages) {
    total += stage->busy;
  }
  std::vector<StageCost> costs;
  for (const StageStats* stage : stages) {
    if (stage->done == 0) {
      continue;
    }
    costs.push_back({.name = stage->name,
                     .share = total.count() > 0 ? stage->busy / total : 0,
                     .seconds_per_row = stage->busy.count() / static_cast<double>(stage->done)});
  }
  return costs;
}

// What a trainer with steps of this length would have written into its journal.
RunSummary as_run(const DataMeasurement& measured) {
  RunSummary summary;
  summary.is_paced = true;
  summary.run.allowed_cores = measured.allowed_cores;
  summary.pipeline = measured.pipeline;
  std::int64_t step = 0;
  for (const Delivery& delivery : measured.deliveries) {
    const double rows = std::max(1, delivery.rows);
    summary.add(StepRecord{
        .step = step++,
        .rows = delivery.rows,
        .padded_frames = static_cast<int>(static_cast<double>(delivery.padded_frames) / rows),
        .frames = delivery.frames,
        .phases = {.wait = Seconds(delivery.wait),
                   .forward = Seconds(delivery.seconds - delivery.wait)}});
  }
  return summary;
}

void judge_pace(DataProfile& profile, std::span<const Delivery> steady) {
  double wait = 0;
  double total = 0;
  double ready = 0;
  for (const Delivery& delivery : steady) {
    wait += delivery.wait;
    total += delivery.seconds;
    ready += delivery.wait <= kUnfelt ? 1 : 0;
  }
  profile.wait_share = total > 0 ? wait / total : 0;
  profile.ready_share = ready / static_cast<double>(steady.size());
  profile.diagnosis = diagnose_run(as_run(profile.measured));
  profile.recommended = recommend(profile.diagnosis->findings);
}

void measure_rates(DataProfile& profile, std::span<const Delivery> steady) {
  double frames = 0;
  double padded = 0;
  double seconds = 0;
  for (const Delivery& delivery : steady) {
    frames += static_cast<double>(delivery.frames);
    padded += static_cast<double>(delivery.padded_frames);
    seconds += delivery.seconds;
  }
  if (seconds > 0) {
    profile.batches_per_second = static_cast<double>(steady.size()) / seconds;
    profile.speech_per_second = frames * profile.measured.seconds_per_frame / seconds;
  }
  profile.padding_share = padded > 0 ? 1 - frames / padded : 0;
}

void look_for_pattern(DataProfile& profile, std::span<const Delivery> steady) {
  const std::vector<double> seconds = intervals_of(steady);
  std::vector<double> work;
  work.reserve(steady.size());
  for (const Delivery& delivery : steady) {
    work.push_back(static_cast<double>(delivery.padded_frames));
  }
  const std::vector<double> adjusted = adjust_for_work(seconds, work, fit_work(seconds, work));
  profile.spread = measure_spread(adjusted);
  profile.periodicity = test_periodicity(adjusted);
  if (!profile.periodicity.pattern) {
    return;
  }
  const std::vector<Cadence> known = {
      {.name = "batches of an epoch",
       .period = static_cast<std::size_t>(profile.measured.batches_per_epoch)},
      {.name = "number of workers", .period = static_cast<std::size_t>(profile.workers.workers)},
      {.name = "batches ahead",
       .period = static_cast<std::size_t>(profile.measured.pipeline.window.limit)}};
  profile.cause = match_cadence(profile.periodicity.pattern->period, known);
}

}  // namespace

DataProfile profile_data(DataMeasurement measured) {
  QANAT_CHECK(!measured.deliveries.empty());
  DataProfile profile{.measured = std::move(measured)};
  const std::span<const Delivery> all(profile.measured.deliveries);
  profile.warm_up = find_warm_up(intervals_of(all));
  const std::span<const Delivery> steady = all.subspan(profile.warm_up.steps);
  profile.seconds = summarise_sample(intervals_of(steady));
  profile.queue = queue_shares(profile.measured.pipeline.ready.occupancy);
  profile.workers = worker_shares(profile.measured.pipeline);
  profile.stages = stage_costs(profile.measured.pipeline);
  measure_rates(profile, steady);
  look_for_pattern(profile, steady);
  if (profile.measured.step) {
    judge_pace(profile, steady);
  }
  return profile;
}

}  // namespace qanat
