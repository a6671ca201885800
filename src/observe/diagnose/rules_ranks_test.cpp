#include <gmock/gmock.h>

#include "diagnose/diagnosis.h"
#include "diagnose/ranks_testing.h"
#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;

class RanksRulesTest : public RulesTest {
 protected:
  RuleOutcome decide(const RanksSample& sample, std::string_view id) {
    summary_ = make_ranks(sample);
    return RulesTest::decide(id);
  }
  static std::string title(const RuleOutcome& outcome) {
    const auto* const finding = std::get_if<Finding>(&outcome);
    return finding != nullptr ? english(finding->title) : std::string();
  }
};

// {number of ranks, seed}
class StragglerTest : public RanksRulesTest,
                      public testing::WithParamInterface<std::tuple<int, int>> {
 protected:
  RanksSample sample() const {
    const auto [world, seed] = GetParam();
    return {.seed = static_cast<std::uint64_t>(seed), .world = world};
  }
  int any_rank() const { return std::get<1>(GetParam()) % std::get<0>(GetParam()); }
};

TEST_P(StragglerTest, NobodyIsNamedWhereNobodyIsSlow) {
  EXPECT_TRUE(is_passed(decide(sample(), "RNK001")));
}

TEST_P(StragglerTest, IsNamedWhenItWaitsForData) {
  RanksSample slow = sample();
  slow.slow_rank = any_rank();
  slow.slow_data = 0.01;

  const RuleOutcome outcome = decide(slow, "RNK001");

  expect_complete(outcome, "RNK001");
  EXPECT_THAT(title(outcome), HasSubstr("rank " + std::to_string(slow.slow_rank) + " on node-"));
  EXPECT_THAT(title(outcome), HasSubstr("longer for data"));
  EXPECT_NEAR(std::get<Finding>(outcome).gain.seconds_saved(), 0.01, 0.003);
}

TEST_P(StragglerTest, IsNamedWhenItComputesSlowly) {
  RanksSample slow = sample();
  slow.slow_rank = any_rank();
  slow.slow_compute = 0.01;

  const RuleOutcome outcome = decide(slow, "RNK001");

  EXPECT_THAT(title(outcome), HasSubstr("rank " + std::to_string(slow.slow_rank) + " on node-"));
  EXPECT_THAT(title(outcome), HasSubstr("computes"));
}

INSTANTIATE_TEST_SUITE_P(TenSeeds,
                         StragglerTest,
                         testing::Combine(testing::Values(2, 4, 8), testing::Range(1, 11)));

TEST_F(RanksRulesTest, AMachineIsNamedWhenAllItsRanksAreSlow) {
  RunSummary slow = make_ranks({.world = 4, .ranks_of_host = 2});
  for (const std::size_t other : {1U, 2U}) {  // ranks 2 and 3, on the second machine
    for (StepRecord& step : slow.others[other].steps) {
      step.phases.forward += Seconds{0.02};
      step.phases.exchange = Seconds{0.002};
    }
  }
  summary_ = std::move(slow);

  const RuleOutcome outcome = RulesTest::decide("RNK001");

  EXPECT_THAT(title(outcome), HasSubstr("on node-1 holds up the others: its machine"));
}

TEST_F(RanksRulesTest, AMachineIsNamedWhenItStalls) {
  const std::optional<HostSummary> healthy = summary_.host;
  summary_ = make_ranks({.world = 2, .slow_rank = 1, .slow_compute = 0.02});
  summary_.host = healthy;
  summary_.others[0].host = healthy;
  summary_.others[0].host->last.throttled = 3.0;  // of ten seconds

  EXPECT_THAT(title(RulesTest::decide("RNK001")), HasSubstr("its machine"));
}

// Two ranks on one crowded machine, one of which has a quota.
TEST_F(RanksRulesTest, AQuotaIsSeenWhereAllWaitForCores) {
  const std::optional<HostSummary> healthy = summary_.host;
  summary_ = make_ranks({.world = 2, .slow_rank = 1, .slow_compute = 0.02, .ranks_of_host = 2});
  summary_.host = healthy;
  summary_.host->last.cpu_some = 9.5;  // of ten seconds
  summary_.others[0].host = summary_.host;
  summary_.others[0].host->last.throttled = 3.0;

  EXPECT_THAT(title(RulesTest::decide("RNK001")), HasSubstr("its machine"));
}

TEST_F(RanksRulesTest, AFewLongStepsMakeNoStraggler) {
  summary_ = make_ranks({.world = 2});
  for (std::size_t k = 40; k < 46; ++k) {
    summary_.others[0].steps[k].phases.forward += Seconds{0.5};
  }

  EXPECT_TRUE(is_passed(RulesTest::decide("RNK001")));
}

TEST_F(RanksRulesTest, MoreWorkIsUnequalWorkAndNoStraggler) {
  const RanksSample uneven{.world = 2, .rows = {16, 20}};

  const RuleOutcome outcome = decide(uneven, "RNK003");

  expect_complete(outcome, "RNK003");
  EXPECT_THAT(title(outcome), HasSubstr("90 % of the work"));
  EXPECT_TRUE(is_passed(decide(uneven, "RNK001")));
  EXPECT_TRUE(is_passed(decide({}, "RNK003")));
}

TEST_F(RanksRulesTest, AnExposedExchangeIsFoundWithWhatWouldHelp) {
  const RuleOutcome outcome = decide({.wire = 0.12, .exposed = 0.08}, "RNK002");

  expect_complete(outcome, "RNK002");
  const Finding& finding = std::get<Finding>(outcome);
  ASSERT_EQ(finding.fixes.size(), 3U);
  EXPECT_GT(finding.gain.speedup, 1.1);
  for (const Fix& fix : finding.fixes) {
    ASSERT_TRUE(fix.predicted_step) << fix.key;
    EXPECT_LT(*fix.predicted_step, finding.gain.step_now) << fix.key;
  }
  EXPECT_NEAR(finding.gain.step_if_fixed, *finding.fixes.front().predicted_step, 1e-9);
}

// 120 ms behind a backward of 60 ms: half of the bytes need no longer than backward.
TEST_F(RanksRulesTest, HalfTheBytesArePredictedByReplay) {
  const RuleOutcome outcome =
      decide({.noise = 0, .wire = 0.12, .exposed = 0.0612}, "RNK002");  // 50 slices

  const Finding& finding = std::get<Finding>(outcome);
  const auto bf16 = std::ranges::find(finding.fixes, "training.exchange_format", &Fix::key);
  ASSERT_NE(bf16, finding.fixes.end());
  EXPECT_NEAR(*bf16->predicted_step, 0.096 + 0.0012, 0.0005);
}

// As with NCCL: how long an exchange takes behind the backward pass is not known.
TEST_F(RanksRulesTest, WithoutTheTimeOnTheWireOnlyRarerExchangesArePredicted) {
  summary_ = make_ranks({.wire = 0.12, .exposed = 0.08});
  const auto forget = [](RunSummary& rank) {
    for (StepRecord& step : rank.steps) {
      step.exchange->busy = Seconds{0};
    }
  };
  forget(summary_);
  std::ranges::for_each(summary_.others, forget);
  const RunMeasures measures = measure_run(summary_);

  const RuleOutcome outcome =
      ask(*find_rule("RNK002"), {.summary = summary_, .measures = measures});

  const Finding& finding = std::get<Finding>(outcome);
  ASSERT_EQ(finding.fixes.size(), 1U);
  EXPECT_EQ(finding.fixes[0].key, "training.gradient_accumulation_steps");
  EXPECT_NEAR(finding.gain.seconds_saved(), 0.04, 0.005);
  EXPECT_LT(finding.gain.ci95.low, 1.05);
  for (const Evidence& evidence : finding.evidence) {
    EXPECT_NE(evidence.metric.name, metric::hidden_share.name);
  }
}

TEST_F(RanksRulesTest, Bf16IsNotProposedToThoseWhoHaveIt) {
  summary_ = make_ranks({.wire = 0.12, .exposed = 0.08});
  summary_.run.exchange = ExchangeSetup{.precision = "bf16"};

  const RuleOutcome outcome = RulesTest::decide("RNK002");

  EXPECT_EQ(std::get<Finding>(outcome).fixes.size(), 2U);
}

TEST_F(RanksRulesTest, AHiddenExchangeIsFine) {
  EXPECT_TRUE(is_passed(decide({}, "RNK002")));
}

// A straggler is none of the exchange's fault: the rank that comes last waits for nobody.
TEST_F(RanksRulesTest, WaitingForAStragglerIsNoExposedExchange) {
  EXPECT_TRUE(is_passed(decide({.slow_rank = 2, .slow_data = 0.05}, "RNK002")));
}

// 30 MB of each of four ranks in 90 ms: 500 MB/s go out of each.
TEST_F(RanksRulesTest, AnExchangeFarBelowItsLinkIsFound) {
  summary_ = make_ranks({.wire = 0.09, .exposed = 0.04});
  summary_.run.exchange = ExchangeSetup{.link = 1e9};
  const RuleOutcome slow = RulesTest::decide("RNK004");
  summary_.run.exchange->link = 0.6e9;
  const RuleOutcome fine = RulesTest::decide("RNK004");
  summary_.run.exchange.reset();

  expect_complete(slow, "RNK004");
  EXPECT_NEAR(std::get<Finding>(slow).evidence[0].value, 0.5e9, 1e6);
  EXPECT_TRUE(is_passed(fine));
  EXPECT_TRUE(is_skipped(RulesTest::decide("RNK004")));
}

TEST_F(RanksRulesTest, ARunOfOneRankIsNotAskedAndOneWithoutTheOtherJournalsIsSkipped) {
  const RunMeasures alone = measure_run(summary_);
  EXPECT_FALSE(is_asked(*find_rule("RNK001"), {.summary = summary_, .measures = alone}));

  summary_ = make_ranks({});
  summary_.others.clear();

  EXPECT_TRUE(is_skipped(RulesTest::decide("RNK001")));
  EXPECT_TRUE(is_passed(RulesTest::decide("RNK002")));
}

// It says that there is something to look for, and predicts nothing.
TEST_F(RanksRulesTest, RankZeroAloneCannotTellTheExchangeFromASlowRank) {
  summary_ = make_ranks({.slow_rank = 2, .slow_data = 0.05});
  summary_.others.clear();

  const RuleOutcome outcome = RulesTest::decide("RNK002");

  expect_complete(outcome, "RNK002");
  EXPECT_THAT(title(outcome), HasSubstr("or for a slower rank"));
  EXPECT_FALSE(std::get<Finding>(outcome).fixes.front().predicted_step);
}

// Two ranks of one machine with four cores, each of which keeps one and a half busy.
class CompanyTest : public RanksRulesTest {
 protected:
  RunSummary exposed_ranks(double machine_busy) {
    const HostSummary healthy = *summary_.host;
    RunSummary ranks = make_ranks({.world = 2, .wire = 0.12, .exposed = 0.08, .ranks_of_host = 2});
    for (RunSummary* const rank : {&ranks, &ranks.others[0]}) {
      rank->host = healthy;
      rank->host->last.process_cpu = 15.0;  // of ten seconds
      rank->host->last.machine_busy = machine_busy;
    }
    set_other_ranks(ranks, std::move(ranks.others));
    return ranks;
  }
};

TEST_F(CompanyTest, WhatOtherRanksTakeIsNotTakenByOthers) {
  const RunSummary ranks = exposed_ranks(31.0);
  const double outside = (31.0 - 2 * 15.0) / 10.0;

  EXPECT_NEAR((*ranks.host->neighbours()).others, outside, 1e-9);
  EXPECT_NEAR((*ranks.others[0].host->neighbours()).others, outside, 1e-9);
}

TEST_F(CompanyTest, WithoutTheirJournalsNobodyIsCalledACompany) {
  RunSummary ranks = exposed_ranks(31.0);
  set_other_ranks(ranks, {});

  EXPECT_THAT(ranks.host->neighbours().why_not(), HasSubstr("other ranks"));
}

TEST_F(CompanyTest, ARankOnAnotherMachineTakesNothingOfThisOne) {
  RunSummary ranks = exposed_ranks(31.0);
  ranks.others[0].run.host = "elsewhere";
  set_other_ranks(ranks, std::move(ranks.others));

  EXPECT_NEAR((*ranks.host->neighbours()).others, (31.0 - 15.0) / 10.0, 1e-9);
}

TEST_F(CompanyTest, TheOtherRankIsNoCompany) {
  const Diagnosis diagnosis = diagnose_run(exposed_ranks(31.0));

  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "RNK002");
  EXPECT_EQ(diagnosis.verdict, VerdictKind::exchange_bound);
}

TEST_F(CompanyTest, OtherProgramsWithholdTheVerdict) {
  const Diagnosis diagnosis = diagnose_run(exposed_ranks(38.0));

  EXPECT_EQ(std::ranges::count(diagnosis.findings, "RNK002", &Finding::id), 0);
  EXPECT_EQ(std::ranges::count(diagnosis.skipped, "RNK002", &SkippedCheck::id), 1);
  EXPECT_NE(diagnosis.verdict, VerdictKind::exchange_bound);
  EXPECT_NE(diagnosis.verdict, VerdictKind::balanced);
}

TEST_F(CompanyTest, RankZeroAloneMakesNoVerdict) {
  RunSummary ranks = exposed_ranks(31.0);
  ranks.others.clear();

  const Diagnosis diagnosis = diagnose_run(ranks);

  EXPECT_EQ(diagnosis.verdict, VerdictKind::incomplete);
  EXPECT_THAT(english(diagnosis.why), HasSubstr("or for a slower rank"));
}

// A rank that computes 20 ms longer in steps of about 120 ms, in ten seconds.
class DisturbedTest : public CompanyTest {
 protected:
  RuleOutcome judged(double machine_busy, double waiting, double others_waiting = 0.1) {
    const HostSummary healthy = *summary_.host;
    RunSummary ranks =
        make_ranks({.world = 2, .slow_rank = 1, .slow_compute = 0.02, .ranks_of_host = 2});
    for (RunSummary* const rank : {&ranks, &ranks.others[0]}) {
      rank->host = healthy;
      rank->host->last.process_cpu = 10.0;
      rank->host->last.machine_busy = machine_busy;
    }
    ranks.host->last.threads = std::vector<ThreadClock>{
        {.name = "train", .threads = 1, .running = 8, .waiting = others_waiting}};
    ranks.others[0].host->last.threads =
        std::vector<ThreadClock>{{.name = "train", .threads = 1, .running = 8, .waiting = waiting}};
    set_other_ranks(ranks, std::move(ranks.others));
    summary_ = std::move(ranks);
    return RulesTest::decide("RNK001");
  }
};

TEST_F(DisturbedTest, WhoWaitsForACoreThatOtherProgramsHaveIsNotNamed) {
  EXPECT_TRUE(is_skipped(judged(38.0, 1.7)));
}

// 60 ms of each step for both: 20 ms more or less mean nothing.
TEST_F(DisturbedTest, WhereAllWaitLongForACoreNobodyIsNamed) {
  EXPECT_TRUE(is_skipped(judged(38.0, 5.0, 5.0)));
}

TEST_F(DisturbedTest, WhoIsSlowWithACoreIsNamedInCompany) {
  EXPECT_THAT(title(judged(38.0, 0.2)), HasSubstr("rank 1 on node-0"));
}

TEST_F(DisturbedTest, WhoWaitsForACoreWithoutCompanyIsNamed) {
  EXPECT_THAT(title(judged(20.0, 1.7)), HasSubstr("rank 1 on node-0"));
}

TEST_F(RanksRulesTest, AStragglerMakesTheVerdict) {
  const Diagnosis diagnosis = diagnose_run(make_ranks({.slow_rank = 1, .slow_compute = 0.05}));

  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "RNK001");
  EXPECT_EQ(diagnosis.verdict, VerdictKind::exchange_bound);
}

}  // namespace
}  // namespace qanat
