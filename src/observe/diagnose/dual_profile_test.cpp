#include "diagnose/dual_profile.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "locale/messages/profiles.h"

namespace qanat {
namespace {

// Seconds of each batch. Prepared while the one before is trained on, unless told otherwise.
struct PairShape {
  double prepare = 0.05;
  double train = 0.08;
  double gap = 0.001;
};

StepRecord step_of(int number, const PairShape& shape) {
  return StepRecord{.step = number,
                    .rows = 8,
                    .padded_frames = 400 + number % 5,
                    .frames = std::int64_t{8} * 390,
                    .phases = {.wait = Seconds{shape.gap},
                               .forward = Seconds{0.4 * shape.train},
                               .backward = Seconds{0.6 * shape.train + 1e-5 * (number % 3)}}};
}

DualRun dual_run(const PairShape& shape, int steps = 60) {
  DualRun run;
  const double period = shape.train + shape.gap;
  for (int i = 0; i < steps; ++i) {
    run.summary.add(step_of(i, shape));
    const double begin = period * i;
    run.summary.slots.push_back({.load = StageTime{begin, begin + 0.001},
                                 .stage = StageTime{begin + 0.001, begin + 0.003},
                                 .prepare = StageTime{begin + 0.003, begin + 0.003 + shape.prepare},
                                 .copy = StageTime{begin + 0.06, begin + 0.062},
                                 .train = StageTime{begin + period, begin + period + shape.train}});
  }
  PipelineStats stats;
  stats.devices = {{.role = "model", .name = "virtual:1"}, {.role = "data", .name = "virtual:0"}};
  run.summary.pipeline = stats;
  run.summary.run.allowed_cores = 4;
  return run;
}

// The device works `train` of a step, and waits for data the rest of it.
DualRun single_run(double step, double train, int steps = 60) {
  DualRun run;
  for (int i = 0; i < steps; ++i) {
    run.summary.add(step_of(i, {.train = train, .gap = step - train}));
  }
  run.summary.run.allowed_cores = 4;
  return run;
}

std::vector<DualRun> three(const DualRun& run) {
  return {run, run, run};
}

bool has(const Diagnosis& diagnosis, const std::string& id) {
  return std::ranges::find(diagnosis.findings, id, &Finding::id) != diagnosis.findings.end();
}

TEST(DualProfileTest, APairThatOverlapsIsNearItsIdealAndPays) {
  const std::vector<DualRun> dual = three(dual_run({}));
  const std::vector<DualRun> single = three(single_run(0.121, 0.08));

  const DualProfile profile = profile_dual(dual, single);

  EXPECT_EQ(profile.verdict, DualVerdict::pays);
  EXPECT_NEAR(profile.comparison.ratio, 0.121 / 0.081, 0.01);
  EXPECT_NEAR(profile.ideal, 0.08, 0.001);
  EXPECT_GT(profile.efficiency, kWantedEfficiency);
  EXPECT_NEAR(profile.dual.data_busy.value(), 0.052 / 0.081, 0.02);
  EXPECT_NEAR(profile.overlap, 0.08 / 0.081 + 0.052 / 0.081 - 1, 0.03);
  EXPECT_FALSE(has(profile.diagnosis, "MG005"));
  EXPECT_NEAR(profile.dual.stages.prepare.value(), 0.05, 1e-9);
}

// One of two, with an exchange behind every step.
DualRun replica_run(double step, double busy, double exposed) {
  DualRun run = single_run(step, busy);
  run.summary.run.world = 2;
  for (StepRecord& record : run.summary.steps) {
    record.phases.exchange = Seconds{exposed};
    record.phases.wait -= Seconds{exposed};
  }
  return run;
}

TEST(DualProfileTest, TwoReplicasThatKeepTheirPaceAreTheBestUse) {
  const std::vector<DualRun> dual = three(dual_run({}));
  const std::vector<DualRun> single = three(single_run(0.121, 0.08));
  const std::vector<DualRun> replicas = three(replica_run(0.131, 0.08, 0.015));

  const DualProfile profile = profile_dual(dual, single, replicas);

  ASSERT_TRUE(profile.replicas);
  EXPECT_NEAR(profile.replicas->comparison.ratio, 2 * 0.121 / 0.131, 0.02);
  EXPECT_EQ(profile.replicas->comparison.change, Change::faster);
  EXPECT_NEAR(profile.replicas->exposed_share, 0.015 / 0.131, 0.01);
  EXPECT_EQ(profile.best, BestUse::replicas);
}

TEST(DualProfileTest, ReplicasThatWaitForEachOtherAreNot) {
  const std::vector<DualRun> dual = three(dual_run({}));
  const std::vector<DualRun> single = three(single_run(0.121, 0.08));
  const std::vector<DualRun> replicas = three(replica_run(0.25, 0.08, 0.13));

  const DualProfile profile = profile_dual(dual, single, replicas);

  EXPECT_EQ(profile.best, BestUse::pair);
}

TEST(DualProfileTest, WithoutReplicasNothingIsSaidOfTheBestUse) {
  const std::vector<DualRun> dual = three(dual_run({}));
  const std::vector<DualRun> single = three(single_run(0.121, 0.08));

  EXPECT_EQ(profile_dual(dual, single).best, BestUse::unknown);
}

TEST(DualProfileTest, APairThatIsSlowerThanOneDoesNotPay) {
  const std::vector<DualRun> dual = three(dual_run({.train = 0.07, .gap = 0.011}));
  const std::vector<DualRun> single = three(single_run(0.061, 0.06));

  const DualProfile profile = profile_dual(dual, single);

  EXPECT_EQ(profile.verdict, DualVerdict::does_not_pay);
  ASSERT_TRUE(has(profile.diagnosis, "MG006"));
  EXPECT_EQ(profile.diagnosis.findings.front().id, "MG006");
  EXPECT_NEAR(profile.diagnosis.findings.front().gain.speedup, 0.081 / 0.061, 0.01);
}

TEST(DualProfileTest, DevicesThatWaitForEachOtherAreFound) {
  const std::vector<DualRun> dual = three(dual_run({.prepare = 0.05, .train = 0.08, .gap = 0.05}));
  const std::vector<DualRun> single = three(single_run(0.13, 0.08));

  const DualProfile profile = profile_dual(dual, single);

  EXPECT_TRUE(has(profile.diagnosis, "MG005"));
  EXPECT_NEAR(profile.efficiency, 0.08 / 0.13, 0.01);
  EXPECT_FALSE(has(profile.diagnosis, "MG004"));
}

TEST(DualProfileTest, ADataSideThatTakesLongerIsFound) {
  const std::vector<DualRun> dual = three(dual_run({.prepare = 0.118, .train = 0.08, .gap = 0.04}));
  const std::vector<DualRun> single = three(single_run(0.13, 0.08));

  const DualProfile profile = profile_dual(dual, single);

  EXPECT_TRUE(has(profile.diagnosis, "MG004"));
  EXPECT_GT(profile.data_per_batch, profile.train_per_batch);
  EXPECT_GT(profile.efficiency, kWantedEfficiency);  // it is as near as its slower side allows
}

TEST(DualProfileTest, FewStepsAreNoVerdict) {
  const std::vector<DualRun> dual = three(dual_run({}, 5));
  const std::vector<DualRun> single = three(single_run(0.13, 0.08, 5));

  EXPECT_EQ(profile_dual(dual, single).verdict, DualVerdict::incomplete);
}

TEST(DualProfileTest, TwoRoundsAreNoVerdict) {
  const std::vector<DualRun> dual = {dual_run({}), dual_run({})};
  const std::vector<DualRun> single = {single_run(0.121, 0.08), single_run(0.121, 0.08)};

  const DualProfile profile = profile_dual(dual, single);

  EXPECT_EQ(profile.verdict, DualVerdict::incomplete);
  EXPECT_TRUE(profile.comparison.withheld.has_value());
}

TEST(DualProfileTest, BesideOtherProgramsThereIsNoVerdict) {
  std::vector<DualRun> dual = three(dual_run({}));
  dual[1].others_share = 0.5;

  const DualProfile profile = profile_dual(dual, three(single_run(0.121, 0.08)));

  EXPECT_EQ(profile.verdict, DualVerdict::incomplete);
  EXPECT_EQ(profile.comparison.withheld.value().id, msg::turns_busy_machine::id);
}

// Runs in turns are some minutes apart: a machine that became slower in between is not a run that
// did.
TEST(DualProfileTest, TurnsOfDifferentSpeedAreNoChangeWithinARun) {
  const std::vector<DualRun> slower_last = {
      dual_run({}), dual_run({}), dual_run({.prepare = 0.05, .train = 0.1})};

  const Diagnosis diagnosis = diagnose_turns(slower_last);

  EXPECT_FALSE(has(diagnosis, "PER003"));
  EXPECT_FALSE(has(diagnosis, "VAR001"));
  RunSummary as_one = pooled_summary(slower_last);
  as_one.turns = 1;
  EXPECT_TRUE(has(diagnose_run(as_one), "PER003"));
}

TEST(DualProfileTest, ADisturbedTurnIsJudgedByWhatItKnowsOfOtherPrograms) {
  std::vector<DualRun> runs = three(dual_run({}));
  runs[1].others_share = 0.5;
  runs[1].summary.host = HostSummary{.first_at = 0, .last_at = 10, .samples = 5};
  HostSummary& host = *runs[1].summary.host;
  host.setup = {.online_cores = 4.0, .affinity_cores = 4.0};
  visit_counters(host.first, [](const char*, Reading<double>& reading) { reading = 0.0; });
  visit_counters(host.last, [](const char*, Reading<double>& reading) { reading = 0.0; });
  host.last.machine_busy = 39.0;
  host.last.process_cpu = 19.0;
  host.first.threads = std::vector<ThreadClock>{};
  host.last.threads =
      std::vector<ThreadClock>{{.name = "train", .threads = 1, .running = 7, .waiting = 3}};

  EXPECT_TRUE(has(diagnose_turns(runs), "HOST005"));
  EXPECT_FALSE(has(diagnose_turns(three(dual_run({}))), "HOST005"));
}

TEST(DualProfileTest, TheWordsHaveTheLimitsUsersKnow) {
  EXPECT_EQ(data_gpu_band(0.61), Band::good);
  EXPECT_EQ(data_gpu_band(0.45), Band::poor);
  EXPECT_EQ(model_gpu_band(0.85), Band::acceptable);
  EXPECT_EQ(model_gpu_band(0.5), Band::very_poor);
  EXPECT_EQ(variation_band(0.1), Band::good);
  EXPECT_EQ(variation_band(0.25), Band::acceptable);
  EXPECT_EQ(variation_band(0.5), Band::very_poor);
}

}  // namespace
}  // namespace qanat
