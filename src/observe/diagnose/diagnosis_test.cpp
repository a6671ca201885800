#include "diagnose/diagnosis.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "diagnose/diagnosis_testing.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

TEST_F(DiagnosisTest, AHealthyRunOfVariableLengthsIsBalanced) {
  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.verdict, VerdictKind::balanced) << english(diagnosis.why);
  EXPECT_TRUE(diagnosis.findings.empty()) << english(diagnosis.findings.front().title);
  EXPECT_GT(standard_deviation(diagnosis.measures.seconds) / diagnosis.measures.mean_step, 0.15);
  EXPECT_TRUE(passed(diagnosis, "VAR002"));
}

TEST_F(DiagnosisTest, EveryRuleSaysExactlyOneThing) {
  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.findings.size() + diagnosis.passed.size() + diagnosis.skipped.size(),
            num_asked());
}

TEST_F(DiagnosisTest, TooFewWorkersAreFoundWithTheNumberThatWouldDo) {
  starve(0.02);

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.verdict, VerdictKind::input_bound);
  ASSERT_FALSE(diagnosis.findings.empty());
  const Finding& first = diagnosis.findings.front();
  EXPECT_EQ(first.id, "DL002");
  EXPECT_EQ(first.severity, FindingSeverity::crit);
  // 22 s of workers for 200 batches of 55 ms: 0.11 / (0.9 * 0.055) = 2.2 workers.
  EXPECT_EQ(first.fixes.front().key, "data.num_workers");
  EXPECT_EQ(first.fixes.front().value, "3");
  EXPECT_NEAR(first.gain.step_now - first.gain.step_if_fixed, 0.02, 1e-9);
  EXPECT_LT(first.gain.ci95.low, first.gain.speedup);
  EXPECT_GT(first.gain.ci95.low, 1.2);
}

TEST_F(DiagnosisTest, AFewPerCentOfWaitingAreAWarningButNoVerdict) {
  starve(0.0018);

  const Diagnosis few = diagnose_run(summary_);

  ASSERT_FALSE(few.findings.empty());
  EXPECT_EQ(few.findings.front().severity, FindingSeverity::warn);
  EXPECT_EQ(few.verdict, VerdictKind::balanced);
  EXPECT_EQ(few.why.id, msg::why_little::id);
  EXPECT_EQ(cause_of(few), nullptr);
}

TEST_F(DiagnosisTest, WithAllCoresAtWorkMoreWorkersAreNotTheAnswer) {
  starve(0.02);
  summary_.run.allowed_cores = 3;

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.findings.front().id, "DL003");
  EXPECT_NE(english(diagnosis.findings.front().title).find("mel"), std::string::npos);
  EXPECT_TRUE(passed(diagnosis, "DL002"));
}

TEST_F(DiagnosisTest, AShallowBufferIsToldFromSlowWorkers) {
  starve(0.01);
  summary_.pipeline->workers = {{.busy = Seconds{5}, .blocked = Seconds{6}}};

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.findings.front().id, "DL005");
  EXPECT_EQ(diagnosis.findings.front().fixes.front().value, "40");
}

TEST_F(DiagnosisTest, AStallAtEveryCheckpointIsNamedAfterItsKey) {
  for (std::size_t i = 0; i < summary_.steps.size(); i += 25) {
    summary_.steps[i].phases.checkpoint = Seconds{0.4};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "PER001", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_NE(english(found->title).find("training.save_every"), std::string::npos)
      << english(found->title);
  EXPECT_EQ(diagnosis.verdict, VerdictKind::host_overhead);
}

TEST_F(DiagnosisTest, PaddingIsChargedForTheWorkThatOtherShapesWouldSave) {
  pad(/*then=*/0.05);

  const Diagnosis diagnosis = diagnose_run(summary_);

  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "DL007");
  // A quarter of the 50 ms that a mean step spends on frames.
  EXPECT_NEAR(
      diagnosis.findings.front().gain.step_now - diagnosis.findings.front().gain.step_if_fixed,
      0.25 * 0.05,
      0.001);
}

// More shapes that pad as much are no advice.
TEST_F(DiagnosisTest, PaddingThatNoPlanMakesLessIsNoFinding) {
  pad(/*then=*/0.3);
  EXPECT_TRUE(passed(diagnose_run(summary_), "DL007"));

  summary_.padding_by_edges.clear();
  const Diagnosis diagnosis = diagnose_run(summary_);
  EXPECT_TRUE(diagnosis.findings.empty());
  EXPECT_NE(std::ranges::find(diagnosis.skipped, "DL007", &SkippedCheck::id),
            diagnosis.skipped.end());
}

TEST_F(DiagnosisTest, PaddingIsNotWaitingForData) {
  pad(/*then=*/0.05);

  EXPECT_EQ(diagnose_run(summary_).verdict, VerdictKind::compute_bound);
}

TEST_F(DiagnosisTest, AGainIsNeverBehindASmallerOne) {
  for (StepRecord& step : summary_.steps) {
    step.phases.forward += Seconds{0.06};  // whatever the length: larger batches would share it
    step.phases.checkpoint = Seconds{0.01};
  }
  pad(/*then=*/0.05);

  const Diagnosis diagnosis = diagnose_run(summary_);

  ASSERT_GE(diagnosis.findings.size(), 3U);
  EXPECT_TRUE(std::ranges::is_sorted(diagnosis.findings,
                                     std::greater{},
                                     [](const Finding& finding) { return finding.gain.speedup; }))
      << diagnosis.findings[0].id << diagnosis.findings[1].id << diagnosis.findings[2].id;
  EXPECT_EQ(diagnosis.findings[0].id, "CMP001");
  EXPECT_EQ(diagnosis.verdict, VerdictKind::compute_bound);
  const Gain& first = diagnosis.findings[0].gain;
  EXPECT_DOUBLE_EQ(diagnosis.recoverable_share, 1 - first.step_if_fixed / first.step_now);
}

TEST_F(DiagnosisTest, OtherProgramsComeBeforeTheVariationTheyCause) {
  share_the_machine(/*waited=*/4);
  vary(0.5);

  const Diagnosis diagnosis = diagnose_run(summary_);

  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "HOST005");
  EXPECT_EQ(diagnosis.verdict, VerdictKind::host_overhead);
  const auto jitter = std::ranges::find(diagnosis.findings, "VAR002", &Finding::id);
  ASSERT_NE(jitter, diagnosis.findings.end());
  EXPECT_EQ(jitter->explained_by, "HOST005");
  EXPECT_EQ(jitter->severity, FindingSeverity::info);
}

// As a loop that qanat.watch measures has it: it sleeps, and is late when it wakes up.
TEST_F(DiagnosisTest, LongStepsOfAThreadThatHadNoCoreAreTheNeighboursDoing) {
  share_the_machine(/*waited=*/0.6);
  (*summary_.host).last.threads =
      std::vector<ThreadClock>{{.name = "load", .threads = 1, .running = 0.1, .waiting = 0.3},
                               {.name = "python", .threads = 1, .running = 0.1, .waiting = 9},
                               {.name = "train", .threads = 1, .running = 0.2, .waiting = 0.6}};
  for (int i = 0; i < 200; i += 9 + i % 5) {
    summary_.steps[static_cast<std::size_t>(i)].phases.forward += Seconds{0.04};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto stalls = std::ranges::find(diagnosis.findings, "VAR001", &Finding::id);
  ASSERT_NE(stalls, diagnosis.findings.end());
  EXPECT_EQ(stalls->explained_by, "HOST005");
  EXPECT_EQ(diagnosis.findings.front().id, "HOST005");
  EXPECT_NEAR(diagnosis.findings.front().gain.share_saved(), 0.06, 1e-9);
}

TEST_F(DiagnosisTest, VariationThatOthersAreTooIdleForIsAFindingOfItsOwn) {
  share_the_machine(/*waited=*/0.3);
  vary(0.5);

  const Diagnosis diagnosis = diagnose_run(summary_);

  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "VAR002");
  EXPECT_TRUE(diagnosis.findings.front().explained_by.empty());
}

TEST_F(DiagnosisTest, PaddingDoesNotExplainThatStepsVary) {
  vary(0.5);
  pad(/*then=*/0.05);

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto jitter = std::ranges::find(diagnosis.findings, "VAR002", &Finding::id);
  ASSERT_NE(jitter, diagnosis.findings.end());
  EXPECT_TRUE(jitter->explained_by.empty()) << jitter->explained_by;
}

TEST_F(DiagnosisTest, ExposedTransfersAreTheTransfersFault) {
  for (StepRecord& step : summary_.steps) {
    step.phases.transfer = Seconds{0.01};
  }

  EXPECT_EQ(diagnose_run(summary_).verdict, VerdictKind::transfer_bound);
}

TEST_F(DiagnosisTest, StepsThatGetSlowerAndSlowerAreADrift) {
  for (std::size_t i = 0; i < summary_.steps.size(); ++i) {
    summary_.steps[i].phases.backward += Seconds{0.0001 * static_cast<double>(i)};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "PER002", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  const auto steps = static_cast<double>(summary_.steps.size());
  EXPECT_NEAR(found->evidence[0].value / steps, 0.0001, 0.00002);  // s, from the first step on
  EXPECT_NEAR(found->gain.step_if_fixed, 0.055, 0.004);            // what it was before
  EXPECT_EQ(found->part, BreakdownPart::work);
  EXPECT_NE(found->severity, FindingSeverity::info);
}

TEST_F(DiagnosisTest, RareLongStepsAreFoundWithTheLongest) {
  for (const std::size_t at : {61U, 88U, 97U, 134U, 171U, 186U}) {
    summary_.steps[at].phases.backward += Seconds{at == 134U ? 0.9 : 0.4};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "VAR001", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_EQ(english(found->title), "6 steps took unusually long, step 134 the longest");
  EXPECT_EQ(found->part, BreakdownPart::work);
  EXPECT_NEAR(found->gain.step_now - found->gain.step_if_fixed, 2.9 / 200, 0.006);
}

TEST_F(DiagnosisTest, CopiesThatWaitForTheDeviceAreFoundWithTheirSwitch) {
  for (StepRecord& step : summary_.steps) {
    step.phases.transfer = Seconds{0.01};
  }
  summary_.run.prefetch_to_gpu = false;
  summary_.run.pinned = true;

  const Diagnosis diagnosis = diagnose_run(summary_);

  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings[0].id, "DL008");
  EXPECT_EQ(diagnosis.findings[0].fixes[0].key, "data.prefetch_to_gpu");
  EXPECT_EQ(diagnosis.verdict, VerdictKind::transfer_bound);
  const auto late = std::ranges::find(diagnosis.findings, "MG003", &Finding::id);
  ASSERT_NE(late, diagnosis.findings.end());
  EXPECT_EQ(late->explained_by, "DL008");
}

TEST_F(DiagnosisTest, CopiesFromPageableMemoryAreFoundWithTheirSwitch) {
  for (StepRecord& step : summary_.steps) {
    step.phases.transfer = Seconds{0.01};
  }
  summary_.run.prefetch_to_gpu = true;
  summary_.run.pinned = false;

  EXPECT_EQ(diagnose_run(summary_).findings.at(0).fixes.at(0).key, "data.enhanced_gpu_prefetch");
}

TEST_F(DiagnosisTest, FeaturesThatAreMadeInEveryEpochAreSaidToTakeCores) {
  summary_.run.allowed_cores = 2;
  summary_.pipeline->from_audio = 3200;
  summary_.pipeline->workers = {
      {.rows = 1600, .busy = Seconds{10}, .cpu = Seconds{10}, .run_delay = Seconds{0}},
      {.rows = 1600, .busy = Seconds{10}, .cpu = Seconds{10}, .run_delay = Seconds{0}}};

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "DL009", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_EQ(found->severity, FindingSeverity::info);
  EXPECT_GT(found->evidence[0].value, 1);  // cores
  EXPECT_EQ(found->fixes[0].key, "data.preprocessing_mode");
}

TEST_F(DiagnosisTest, UtterancesThatCouldNotBeUsedAreCounted) {
  summary_.pipeline->bad = 32;

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "DL012", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_EQ(english(found->title), "32 rows were filled with another utterance");
  EXPECT_DOUBLE_EQ(found->evidence[0].value, 0.01);
  EXPECT_EQ(diagnosis.verdict, VerdictKind::balanced);
}

TEST_F(DiagnosisTest, AMomentAfterWhichStepsAreSlowerIsFound) {
  for (std::size_t i = 120; i < summary_.steps.size(); ++i) {
    summary_.steps[i].phases.forward += Seconds{0.02};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "PER003", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_NE(english(found->title).find("from step 1"), std::string::npos) << english(found->title);
}

TEST_F(DiagnosisTest, StepsDoneInPartsForWantOfMemoryAreFound) {
  for (StepRecord& step : summary_.steps) {
    step.phases.retry = Seconds{2e-6};  // nothing was done again
  }
  EXPECT_TRUE(passed(diagnose_run(summary_), "CMP008"));

  summary_.steps[100].phases.retry = Seconds{0.03};
  summary_.add({.event = OutOfMemoryRetry{.rows = 16, .retried_with = 8}});

  const Diagnosis diagnosis = diagnose_run(summary_);
  const auto found = std::ranges::find(diagnosis.findings, "CMP008", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_NE(english(found->title).find("1 of"), std::string::npos) << english(found->title);
}

// A thread that waits for a core there does nothing again.
TEST_F(DiagnosisTest, AMomentThatLastsIsNoLackOfMemory) {
  for (StepRecord& step : summary_.steps) {
    step.phases.retry = Seconds{0.01};
  }

  EXPECT_TRUE(passed(diagnose_run(summary_), "CMP008"));
}

// Every tenth step is thrown away.
TEST_F(DiagnosisTest, StepsThatChangeNothingAreFoundWithALowerRate) {
  summary_.config = {{"training", {{"mixed_precision", nullptr}}}};
  for (StepRecord& step : summary_.steps) {
    step.learning_rate = 1e-3;
  }
  summary_.steps[100].skipped = true;  // one is no pattern
  EXPECT_TRUE(passed(diagnose_run(summary_), "CMP009"));

  for (std::size_t i = 0; i < summary_.steps.size(); i += 10) {
    summary_.steps[i].skipped = true;
  }

  const Diagnosis diagnosis = diagnose_run(summary_);
  const auto found = std::ranges::find(diagnosis.findings, "CMP009", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_NEAR(found->gain.speedup, 1 / 0.9, 0.02);
  ASSERT_EQ(found->fixes.size(), 1U);
  EXPECT_EQ(found->fixes[0].key, "training.learning_rate");
  EXPECT_EQ(found->fixes[0].value, "0.0005");
  EXPECT_EQ(diagnosis.verdict, VerdictKind::compute_bound);
}

TEST_F(DiagnosisTest, HalfPrecisionThatWasAskedForIsLeftOutFirst) {
  summary_.config = {{"training", {{"mixed_precision", true}}}};
  for (std::size_t i = 0; i < summary_.steps.size(); i += 10) {
    summary_.steps[i].skipped = true;
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto found = std::ranges::find(diagnosis.findings, "CMP009", &Finding::id);
  ASSERT_NE(found, diagnosis.findings.end());
  EXPECT_EQ(found->fixes.at(0).key, "training.mixed_precision");
}

}  // namespace
}  // namespace qanat
