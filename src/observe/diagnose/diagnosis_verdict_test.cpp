#include <algorithm>
#include <utility>

#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"
#include "diagnose/diagnosis_testing.h"
#include "diagnose/gain.h"

namespace qanat {
namespace {

TEST_F(DiagnosisTest, AGpuThatWaitsForLaunchesIsHeldUpByTheHost) {
  for (StepRecord& step : summary_.steps) {
    step.phases.launch = Seconds{0.05};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "CMP004", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_EQ(found->fixes.at(0).key, "data.batch_size");  // graphs are on, where they can be
  EXPECT_EQ(diagnosis.verdict, VerdictKind::host_overhead);

  summary_.run.device = "cuda:0";
  summary_.config = {{"training", {{"enable_graph_mode", false}}}};
  const Diagnosis without = diagnose_run(summary_);
  EXPECT_EQ(std::ranges::find(without.findings, "CMP004", &Finding::id)->fixes.at(0).key,
            "training.enable_graph_mode");
  summary_.run.world = 2;  // no graphs with several processes
  const Diagnosis several = diagnose_run(summary_);
  EXPECT_EQ(std::ranges::find(several.findings, "CMP004", &Finding::id)->fixes.at(0).key,
            "data.batch_size");
  summary_.run.world = 1;  // nor for a vocoder
  summary_.config["training"]["task"] = "vocoder";
  const Diagnosis vocoder = diagnose_run(summary_);
  EXPECT_EQ(std::ranges::find(vocoder.findings, "CMP004", &Finding::id)->fixes.at(0).key,
            "data.batch_size");
}

// A timer takes as long as its user said.
TEST_F(DiagnosisTest, WhatATimerTakesIsNoFinding) {
  for (StepRecord& step : summary_.steps) {
    step.phases.forward += Seconds{0.06};
  }
  pad(/*then=*/0.05);
  EXPECT_EQ(diagnose_run(summary_).findings.front().id, "CMP001");

  summary_.is_paced = true;

  EXPECT_TRUE(diagnose_run(summary_).findings.empty());
}

// A stall of another rank shows as exchange, one of the host of a GPU as launches.
class StalledPartTest
    : public DiagnosisTest,
      public testing::WithParamInterface<std::pair<Seconds StepPhases::*, BreakdownPart>> {};

TEST_P(StalledPartTest, IsChargedWithTheStall) {
  const auto& [time, part] = GetParam();
  for (const std::size_t at : {61U, 88U, 97U, 134U, 171U, 186U}) {
    summary_.steps[at].phases.*time += Seconds{0.4};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "VAR001", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_EQ(found->part, part);
}

INSTANTIATE_TEST_SUITE_P(Parts,
                         StalledPartTest,
                         testing::Values(std::pair(&StepPhases::exchange, BreakdownPart::exchange),
                                         std::pair(&StepPhases::launch, BreakdownPart::launch),
                                         std::pair(&StepPhases::transfer, BreakdownPart::transfer)));

TEST_F(DiagnosisTest, WaitingIsNotBalancedWhereTheJournalDoesNotSayWhy) {
  for (StepRecord& step : summary_.steps) {
    step.phases.wait = Seconds{0.044};
  }
  summary_.pipeline.reset();

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.verdict, VerdictKind::input_bound);
  EXPECT_NE(english(diagnosis.why).find("why is not known"), std::string::npos)
      << english(diagnosis.why);
}

TEST_F(DiagnosisTest, TheGreatestGainComesFirst) {
  starve(0.005);
  for (StepRecord& step : summary_.steps) {
    step.phases.checkpoint = Seconds{0.02};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  ASSERT_GE(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].id, "CMP007");
  EXPECT_EQ(diagnosis.findings[1].id, "DL002");
}

// Four threads of which any one holds up the others: between a fifth and four fifths of a step.
TEST_F(DiagnosisTest, ALargeGainThatIsHardlyKnownIsNotBehindASmallOne) {
  share_the_machine(/*waited=*/2);
  summary_.host->last.threads =
      std::vector<ThreadClock>{{.name = "train", .threads = 4, .running = 4, .waiting = 8}};
  for (StepRecord& step : summary_.steps) {
    step.phases.checkpoint = 0.06 * step.phases.total();
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  ASSERT_GE(diagnosis.findings.size(), 2U);
  EXPECT_EQ(diagnosis.findings[0].id, "HOST005");
  EXPECT_FALSE(is_sharp(diagnosis.findings[0].gain));
  EXPECT_EQ(diagnosis.findings[1].id, "CMP007");
  EXPECT_EQ(diagnosis.recoverable_share, 0) << "it is no headline";
}

// Whether the wait for cores grew with the steps is told differently from one moment to the next:
// the verdict does not depend on it while the neighbours cost more.
TEST_F(DiagnosisTest, AMomentDoesNotComeBeforeNeighboursThatCostMore) {
  share_the_machine(/*waited=*/2);
  summary_.host->last.threads =
      std::vector<ThreadClock>{{.name = "train", .threads = 4, .running = 4, .waiting = 16}};
  for (int i = 0; i <= 10; ++i) {  // as long in every step
    summary_.host->course.push_back(
        {.steps = 20 * i,
         .threads = std::vector<ThreadClock>{
             {.name = "train", .threads = 4, .running = 0.4 * i, .waiting = 1.6 * i}}});
  }
  for (std::size_t i = 120; i < summary_.steps.size(); ++i) {
    summary_.steps[i].phases.forward += Seconds{0.02};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(cause_of(diagnosis)->id, "HOST005");
  const auto moment = std::ranges::find(diagnosis.findings, "PER003", &Finding::id);
  ASSERT_NE(moment, diagnosis.findings.end());
  EXPECT_EQ(moment->explained_by, "");
  EXPECT_EQ(moment->severity, FindingSeverity::warn);
}

TEST_F(DiagnosisTest, AFewStepsAreNoVerdict) {
  summary_.steps.resize(12);

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.verdict, VerdictKind::incomplete);
  EXPECT_EQ(diagnosis.skipped.size(), num_asked());
}

TEST_F(DiagnosisTest, ABreakdownThatDoesNotAddUpIsNoVerdict) {
  for (StepRecord& step : summary_.steps) {
    step.phases.residual = Seconds{0.01};
  }

  EXPECT_EQ(diagnose_run(summary_).verdict, VerdictKind::incomplete);
}

TEST_F(DiagnosisTest, WhatTheJournalDoesNotSayIsSkippedWithTheReason) {
  starve(0.02);
  summary_.pipeline.reset();

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto skipped = std::ranges::find(diagnosis.skipped, "DL002", &SkippedCheck::id);
  ASSERT_NE(skipped, diagnosis.skipped.end());
  EXPECT_NE(english(skipped->reason).find("loader"), std::string::npos);
}

}  // namespace
}  // namespace qanat
