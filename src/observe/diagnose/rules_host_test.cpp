#include <functional>

#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

using Threads = std::vector<ThreadClock>;

class RulesHostTest : public RulesTest {
 protected:
  void set_quota(double cores, double throttled) {
    summary_.host->setup.cpu_quota = cores;
    summary_.host->last.throttled = throttled;
    summary_.host->last.periods = 100.0;
    summary_.host->last.throttled_periods = 60.0;
  }
  void set_threads(Threads threads) { summary_.host->last.threads = std::move(threads); }
};

TEST_F(RulesHostTest, AHealthyMachinePassesEverything) {
  for (const Rule& rule : all_rules()) {
    if (rule.category == RuleCategory::host) {
      EXPECT_TRUE(is_passed(decide(rule.id))) << rule.id;
    }
  }
}

TEST_F(RulesHostTest, WithoutLinesAboutTheHostNothingIsClaimed) {
  summary_.host.reset();

  for (const Rule& rule : all_rules()) {
    if (rule.category == RuleCategory::host) {
      EXPECT_TRUE(is_skipped(decide(rule.id))) << rule.id;
    }
  }
}

TEST_F(RulesHostTest, WhatCannotBeReadIsSkippedWithTheReason) {
  visit_setup(summary_.host->setup, [](const char*, auto& reading) {
    reading = std::remove_reference_t<decltype(reading)>::none("may not be read");
  });
  visit_counters(summary_.host->last, [](const char*, Reading<double>& reading) {
    reading = Reading<double>::none("may not be read");
  });
  summary_.host->last.threads = Reading<Threads>::none("may not be read");

  for (const Rule& rule : all_rules()) {
    if (rule.category == RuleCategory::host) {
      EXPECT_EQ(skip_reason(decide(rule.id)), "cannot be read: may not be read") << rule.id;
    }
  }
}

TEST_F(RulesHostTest, AQuotaBelowWhatThreadsWantIsFoundWithWorkersThatFit) {
  set_quota(1.4, 0);
  set_threads({{.name = "load", .threads = 4, .running = 10, .waiting = 20},
               {.name = "train", .threads = 1, .running = 10}});

  const RuleOutcome outcome = decide("HOST001");

  expect_complete(outcome, "HOST001");
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::info);
  EXPECT_EQ(std::get<Finding>(outcome).fixes[0].value, "1");
}

TEST_F(RulesHostTest, AQuotaThatStopsTheRunCostsWhatItStops) {
  set_quota(1, 12);  // on two cores' worth of threads
  set_threads({{.name = "load", .threads = 2, .running = 5, .waiting = 5},
               {.name = "train", .threads = 1, .running = 10}});

  const RuleOutcome outcome = decide("HOST002");

  expect_complete(outcome, "HOST002");
  EXPECT_NEAR(std::get<Finding>(outcome).evidence[0].value, 0.6, 1e-9);
  EXPECT_NEAR(std::get<Finding>(outcome).gain.speedup, 2.5, 1e-6);
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::crit);
  EXPECT_EQ(std::get<Finding>(decide("HOST001")).severity, FindingSeverity::crit);
}

TEST_F(RulesHostTest, AQuotaThatIsNeverUsedUpIsFine) {
  set_quota(3, 0.05);

  EXPECT_TRUE(is_passed(decide("HOST002")));
  EXPECT_TRUE(is_passed(decide("HOST001")));
}

TEST_F(RulesHostTest, StallsForMemoryAreFoundInTheOwnGroupFirst) {
  summary_.host->last.memory_full = 9.0;
  summary_.host->last.group_memory_full = 3.0;

  const RuleOutcome outcome = decide("HOST003");

  expect_complete(outcome, "HOST003");
  EXPECT_DOUBLE_EQ(std::get<Finding>(outcome).evidence[0].value, 0.3);
  EXPECT_EQ(std::get<Finding>(outcome).fixes[0].key, "pipeline.feature_cache");
}

TEST_F(RulesHostTest, StorageThatOthersWaitForIsNoFinding) {
  summary_.host->last.group_io_full = 5.0;

  EXPECT_TRUE(is_passed(decide("HOST003")));

  wait_for_data(0.05);
  expect_complete(decide("HOST003"), "HOST003");
}

TEST_F(RulesHostTest, MoreThreadsThanCoresAreFoundWithTheWorkersThatFit) {
  set_threads({{.name = "load", .threads = 12, .running = 28, .waiting = 80},
               {.name = "train", .threads = 1, .running = 8, .waiting = 4}});

  const RuleOutcome outcome = decide("HOST004");

  expect_complete(outcome, "HOST004");
  EXPECT_EQ(std::get<Finding>(outcome).fixes[0].value, "3");
  EXPECT_NEAR(std::get<Finding>(outcome).gain.speedup, 1.5, 0.01);
}

TEST_F(RulesHostTest, AFullLoaderBesideATrainerThatRunsIsFine) {
  set_threads({{.name = "load", .threads = 12, .running = 28, .waiting = 80},
               {.name = "train", .threads = 1, .running = 10, .waiting = 0.2}});

  EXPECT_TRUE(is_passed(decide("HOST004")));
}

TEST_F(RulesHostTest, OtherProgramsOnTheCoresAreFound) {
  summary_.host->last.machine_busy = 38.0;
  set_threads({{.name = "train", .threads = 1, .running = 7, .waiting = 3}});

  const RuleOutcome outcome = decide("HOST005");

  expect_complete(outcome, "HOST005");
  EXPECT_NEAR(std::get<Finding>(outcome).evidence[0].value, 19.0 / 40, 1e-9);
  EXPECT_TRUE(is_passed(decide("HOST004")));
}

TEST_F(RulesHostTest, OneThreadOfLibtorchWithoutACoreHoldsUpTheOthers) {
  summary_.host->last.machine_busy = 38.0;
  // Two threads in lockstep: one has no core half of the time, and the other waits for it.
  set_threads({{.name = "train", .threads = 2, .running = 10, .waiting = 5}});

  const RuleOutcome outcome = decide("HOST005");

  expect_complete(outcome, "HOST005");
  EXPECT_NEAR(std::get<Finding>(outcome).gain.speedup, 1 / (0.75 * 0.75), 1e-6);
}

TEST_F(RulesHostTest, ThreadsAreTheTrainersByTheNameOfTheirStream) {
  summary_.host->last.machine_busy = 38.0;
  set_threads({{.name = "paced", .threads = 1, .running = 7, .waiting = 3},
               {.name = "monitor", .threads = 1, .running = 1, .waiting = 9}});

  const RuleOutcome outcome = decide("HOST005");

  expect_complete(outcome, "HOST005");
  EXPECT_NEAR(std::get<Finding>(outcome).gain.speedup, 1 / 0.7, 1e-6);
}

TEST_F(RulesHostTest, OthersCannotHoldTheTrainerUpForLongerThanTheyRun) {
  summary_.host->last.machine_busy = 19.0 + 5.0;  // half a core
  set_threads({{.name = "train", .threads = 1, .running = 2, .waiting = 8}});

  EXPECT_NEAR(std::get<Finding>(decide("HOST005")).gain.speedup, 2, 1e-6);
}

TEST_F(RulesHostTest, WorkersWithoutACoreCostTheWaitingForTheirData) {
  wait_for_data(0.1);
  summary_.host->last.machine_busy = 38.0;
  set_threads({{.name = "load", .threads = 2, .running = 5, .waiting = 5},
               {.name = "train", .threads = 1, .running = 5}});

  const RuleOutcome outcome = decide("HOST005");

  expect_complete(outcome, "HOST005");
  EXPECT_EQ(std::get<Finding>(outcome).part, BreakdownPart::wait);
  EXPECT_NEAR(std::get<Finding>(outcome).gain.speedup, 1 / 0.75, 0.01);
}

TEST_F(RulesHostTest, WorkersThatMostlySleepLoseNoMoreToOthersThanTheyWereReady) {
  wait_for_data(0.1);
  summary_.host->last.machine_busy = 38.0;
  // Each sleeps most of ten seconds; when it is ready, others are on its core.
  set_threads({{.name = "load", .threads = 2, .running = 0.1, .waiting = 3},
               {.name = "train", .threads = 1, .running = 5}});

  const RuleOutcome outcome = decide("HOST005");

  expect_complete(outcome, "HOST005");
  EXPECT_NEAR(std::get<Finding>(outcome).gain.speedup, 1 / 0.7, 1e-6);
}

TEST_F(RulesHostTest, WaitingThatHasAnotherCauseIsNotTheNeighboursToo) {
  wait_for_data(0.1);
  summary_.host->last.machine_busy = 38.0;
  set_threads({{.name = "load", .threads = 2, .running = 0.1, .waiting = 0.3},
               {.name = "train", .threads = 1, .running = 5}});

  EXPECT_TRUE(is_passed(decide("HOST005")));
}

TEST_F(RulesHostTest, ABusyMachineIsSaidToBeWithoutARunToo) {
  summary_.steps.clear();
  summary_.host->last.machine_busy = 38.0;

  const RuleOutcome outcome = decide("HOST005");

  expect_complete(outcome, "HOST005");
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::warn);
  EXPECT_EQ(english(std::get<Finding>(outcome).title), "other programs use 48 % of the cores");
}

TEST_F(RulesHostTest, OtherProgramsThatNobodyWaitsForAreFine) {
  summary_.host->last.machine_busy = 38.0;

  EXPECT_TRUE(is_passed(decide("HOST005")));
}

TEST_F(RulesHostTest, TimeTakenByAHypervisorIsFound) {
  summary_.host->last.machine_stolen = 8.0;

  expect_complete(decide("HOST005"), "HOST005");
}

TEST_F(RulesHostTest, ThreadsOnTheOtherNodeAreFound) {
  two_gpus();
  summary_.host->setup.numa_nodes = 2.0;
  summary_.host->setup.core_nodes = std::string("1");

  expect_complete(decide("HOST006"), "HOST006");

  summary_.host->setup.core_nodes = std::string("0");
  EXPECT_TRUE(is_passed(decide("HOST006")));
  no_gpus();
  EXPECT_TRUE(is_skipped(decide("HOST006")));
}

TEST_F(RulesHostTest, SwappingIsFoundAlsoWhereStallsAreNotMeasured) {
  summary_.host->last.swapped_in = 4e7;
  summary_.host->last.memory_full = Reading<double>::none("no PSI");

  const RuleOutcome outcome = decide("HOST007");

  expect_complete(outcome, "HOST007");
  EXPECT_EQ(std::get<Finding>(outcome).severity, FindingSeverity::warn);
}

TEST_F(RulesHostTest, PowersaveIsFoundUnlessItsDriverRaisesClocks) {
  summary_.host->setup.governor = std::string("powersave");

  expect_complete(decide("HOST008"), "HOST008");

  summary_.host->setup.clock_driver = std::string("intel_pstate");
  EXPECT_TRUE(is_passed(decide("HOST008")));
}

TEST_F(RulesHostTest, BlocksThatCannotBePinnedAreFound) {
  two_gpus();
  summary_.pipeline->window.allocated = Bytes{50'000'000};

  expect_complete(decide("HOST009"), "HOST009");

  summary_.host->setup.locked_memory = Reading<double>::none(std::string(kNoLimit));
  EXPECT_TRUE(is_passed(decide("HOST009")));
}

TEST_F(RulesHostTest, WithoutStepsTheMachineIsStillJudged) {
  summary_.steps.clear();
  summary_.host->setup.governor = std::string("powersave");

  for (const Rule& rule : host_rules()) {
    const RuleOutcome outcome = decide(rule.id);
    const auto* const skipped = std::get_if<SkippedCheck>(&outcome);
    EXPECT_EQ(skipped != nullptr && skipped->missing == Missing::steps,
              contains(rule.needs, Need::steps))
        << rule.id;
  }
  expect_complete(decide("HOST008"), "HOST008");
}

}  // namespace
}  // namespace qanat
