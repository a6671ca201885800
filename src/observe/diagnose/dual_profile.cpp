#include "diagnose/dual_profile.h"

#include <algorithm>
#include <functional>

#include "diagnose/rules.h"

namespace qanat {
namespace {

struct Sum {
  double seconds = 0;
  int count = 0;

  void add(const std::optional<StageTime>& span) {
    if (span) {
      seconds += span->length();
      ++count;
    }
  }
  std::optional<double> mean() const {
    return count == 0 ? std::nullopt : std::optional(seconds / count);
  }
};

// Time covered by at least one of the spans.
double covered(std::vector<StageTime> spans) {
  std::ranges::sort(spans, {}, &StageTime::begin);
  double total = 0;
  double until = 0;
  for (const StageTime& span : spans) {
    const double begin = std::max(span.begin, until);
    total += std::max(0.0, span.end - begin);
    until = std::max(until, span.end);
  }
  return total;
}

struct SlotSums {
  Sum load;
  Sum stage;
  Sum prepare;
  Sum copy;
  double data_busy = 0;  // s of the data device
  double wall = 0;       // s from the first training to the last
  double batches = 0;
};

void add_run(const DualRun& run, SlotSums& sums) {
  const RunMeasures measures = measure_run(run.summary);
  const std::size_t batches =
      measures.steady.empty() ? 1 : static_cast<std::size_t>(measures.steady.front().batches);
  const std::size_t first = std::min(run.summary.slots.size(), measures.warm_up.steps * batches);
  std::vector<StageTime> data;
  std::optional<StageTime> trained;
  for (std::size_t i = first; i < run.summary.slots.size(); ++i) {
    const SlotRecord& row = run.summary.slots[i];
    sums.load.add(row.load);
    sums.stage.add(row.stage);
    sums.prepare.add(row.prepare);
    sums.copy.add(row.copy);
    for (const std::optional<StageTime>& span : {row.stage, row.prepare}) {
      if (span) {
        data.push_back(*span);
      }
    }
    if (row.train) {
      trained =
          StageTime{.begin = trained ? trained->begin : row.train->begin, .end = row.train->end};
      sums.batches += 1;
    }
  }
  sums.data_busy += covered(std::move(data));
  sums.wall += trained ? trained->length() : 0;
}

std::optional<DeviceUse> use_of(const RunSummary& summary, std::string_view role) {
  if (!summary.pipeline) {
    return std::nullopt;
  }
  const std::vector<DeviceUse>& devices = summary.pipeline->devices;
  const auto found = std::ranges::find(devices, role, &DeviceUse::role);
  return found == devices.end() ? std::nullopt : std::optional(*found);
}

ModeProfile measure_mode(std::span<const DualRun> runs, const RunSummary& all) {
  ModeProfile mode{.measures = measure_run(all)};
  SlotSums sums;
  for (const DualRun& run : runs) {
    add_run(run, sums);
    mode.model = use_of(run.summary, "model");
    mode.data = use_of(run.summary, "data");
  }
  const RunMeasures& m = mode.measures;
  const double batches = m.steady.empty() ? 1 : m.steady.front().batches;
  mode.stages = {.load = sums.load.mean(),
                 .stage = sums.stage.mean(),
                 .prepare = sums.prepare.mean(),
                 .copy = sums.copy.mean(),
                 .train = m.breakdown.busy().count() / batches,
                 .gap = (m.mean_step - m.breakdown.busy().count()) / batches};
  mode.model_busy = m.share(m.breakdown.busy());
  if (sums.prepare.count > 0 && sums.wall > 0) {
    mode.data_busy = sums.data_busy / sums.wall;
  }
  return mode;
}

// What the loader's workers need for a batch, working side by side.
double loader_seconds(const std::optional<PipelineStats>& stats) {
  if (!stats || stats->batches == 0 || stats->active_workers == 0) {
    return 0;
  }
  double busy = 0;
  double made = 0;
  for (const WorkerStats& worker : stats->workers) {
    busy += worker.busy.count();
    made += static_cast<double>(worker.rows);
  }
  const double rows = static_cast<double>(stats->rows) / static_cast<double>(stats->batches);
  return made > 0 ? busy / made * rows / stats->active_workers : 0;
}

void compare_sides(DualProfile& profile, const RunSummary& dual) {
  const ModeProfile& mode = profile.dual;
  const double batch = mode.stages.train + mode.stages.gap;
  profile.train_per_batch = mode.stages.train;
  profile.data_per_batch =
      std::max(mode.data_busy.value_or(0) * batch, loader_seconds(dual.pipeline));
  profile.ideal = std::max(profile.data_per_batch, profile.train_per_batch);
  profile.efficiency = batch > 0 ? std::min(1.0, profile.ideal / batch) : 0;
  profile.overlap = mode.data_busy.value_or(0) + mode.model_busy - 1;
}

RunComparison compare_modes(std::span<const DualRun> now, std::span<const DualRun> before) {
  const auto turns_of = [](std::span<const DualRun> runs) {
    std::vector<Turn> turns;
    for (const DualRun& run : runs) {
      turns.push_back(to_turn(run));
    }
    return turns;
  };
  return compare_turns(turns_of(now), turns_of(before));
}

ReplicaProfile measure_replicas(std::span<const DualRun> replicas,
                                std::span<const DualRun> single) {
  ReplicaProfile profile{.mode = profile_mode(replicas)};
  const RunMeasures& m = profile.mode.measures;
  profile.replicas = replicas.front().summary.run.world.value_or(2);
  profile.exposed_share = m.share(m.breakdown.exchange);
  profile.comparison = of_replicas(compare_modes(replicas, single), profile.replicas);
  return profile;
}

DualVerdict judge_pair(const DualProfile& profile) {
  if (profile.diagnosis.verdict == VerdictKind::incomplete ||
      profile.single.measures.steady.size() < kMinSteps || profile.comparison.withheld) {
    return DualVerdict::incomplete;
  }
  switch (profile.comparison.change) {
    case Change::faster:
      return DualVerdict::pays;
    case Change::slower:
      return DualVerdict::does_not_pay;
    case Change::none:
      break;
  }
  return DualVerdict::no_difference;
}

Band band(double value, double good, double acceptable, double poor) {
  if (value > good) {
    return Band::good;
  }
  if (value > acceptable) {
    return Band::acceptable;
  }
  return value > poor ? Band::poor : Band::very_poor;
}

}  // namespace

Band data_gpu_band(double busy) {
  return band(busy, 0.6, 0.5, 0.4);
}

Band model_gpu_band(double busy) {
  return band(busy, 0.9, 0.8, 0.7);
}

Band variation_band(double variation) {
  return band(-variation, -0.2, -0.3, -0.4);
}

RunComparison of_replicas(RunComparison one, int replicas) {
  one.ratio *= replicas;
  one.ci95 = {.low = one.ci95.low * replicas, .high = one.ci95.high * replicas};
  if (!one.withheld) {
    one.change = change_of(one.ci95);
  }
  return one;
}

BestUse best_use(const RunComparison& pair, const RunComparison& replicas) {
  if (pair.withheld || replicas.withheld) {
    return BestUse::unknown;
  }
  const bool pair_pays = pair.change == Change::faster;
  if (replicas.change == Change::faster && (!pair_pays || replicas.ratio > pair.ratio)) {
    return BestUse::replicas;
  }
  return pair_pays ? BestUse::pair : BestUse::one_device;
}

RunSummary pooled_summary(std::span<const DualRun> runs) {
  RunSummary all;
  for (const DualRun& run : runs) {
    for (const StepRecord& step : measure_run(run.summary).steady) {
      all.add(step);
    }
    all.run = run.summary.run;
    all.pipeline = run.summary.pipeline;
    all.out_of_memory += run.summary.out_of_memory;
  }
  all.turns = static_cast<int>(runs.size());
  return all;
}

Diagnosis diagnose_turns(std::span<const DualRun> runs) {
  const auto others = [](const DualRun& run) { return run.others_share.value_or(0); };
  const auto disturbed = std::ranges::max_element(runs, {}, others);
  return diagnose_run(disturbed != runs.end() && others(*disturbed) > kMaxOthersShare
                          ? disturbed->summary
                          : pooled_summary(runs));
}

ModeProfile profile_mode(std::span<const DualRun> runs) {
  return measure_mode(runs, pooled_summary(runs));
}

Turn to_turn(const DualRun& run) {
  const RunMeasures m = measure_run(run.summary);
  return {.rate = m.frames_per_second,
          .idle_share = 1 - m.share(m.breakdown.busy()),
          .device_cores = run.device_cores,
          .others_share = run.others_share};
}

DualProfile profile_dual(std::span<const DualRun> dual,
                         std::span<const DualRun> single,
                         std::span<const DualRun> replicas) {
  const RunSummary dual_summary = pooled_summary(dual);
  const RunSummary single_summary = pooled_summary(single);
  DualProfile profile;
  profile.dual = measure_mode(dual, dual_summary);
  profile.single = measure_mode(single, single_summary);
  profile.diagnosis = diagnose_turns(dual);
  if (!profile.dual.measures.seconds.empty() && !profile.single.measures.seconds.empty()) {
    profile.comparison = compare_modes(dual, single);
    profile.comparison.spread =
        compare_spread(profile.dual.measures.adjusted, profile.single.measures.adjusted);
    compare_sides(profile, dual_summary);
  }
  profile.verdict = judge_pair(profile);
  if (profile.verdict != DualVerdict::incomplete) {
    ask_rules(dual_rules(),
              {.summary = dual_summary, .measures = profile.dual.measures, .dual = &profile},
              profile.diagnosis);
    std::ranges::stable_sort(profile.diagnosis.findings,
                             std::greater{},
                             [](const Finding& finding) { return finding.gain.share_saved(); });
  }
  profile.recommended = recommend(profile.diagnosis.findings);
  if (!replicas.empty()) {
    profile.replicas = measure_replicas(replicas, single);
    if (profile.verdict != DualVerdict::incomplete) {
      profile.best = best_use(profile.comparison, profile.replicas->comparison);
    }
  }
  return profile;
}

}  // namespace qanat
