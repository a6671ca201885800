#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

class RulesPairTest : public RulesTest {
 protected:
  RulesPairTest() { two_gpus(); }
};

TEST_F(RulesPairTest, GpusWithoutPeerCopiesAreAWarningInMultiGpuMode) {
  change_setup([](GpuSetup& setup) { setup.pairs[0].peer_copies = 0.0; });

  EXPECT_EQ(std::get<Finding>(decide("MG001")).severity, FindingSeverity::info);

  summary_.run.mode = "multi_gpu";
  expect_complete(decide("MG001"), "MG001");
  EXPECT_EQ(std::get<Finding>(decide("MG001")).severity, FindingSeverity::warn);
}

TEST_F(RulesPairTest, GpusOnTwoSocketsAreFound) {
  change_setup([](GpuSetup& setup) { setup.gpus[1].numa_node = 1.0; });

  expect_complete(decide("MG008"), "MG008");
}

TEST_F(RulesPairTest, CopiesFarBelowTheLinkAreFound) {
  copy_batches(kEightMegabytes / 6e9);  // of 32 GB/s
  for (StepRecord& step : summary_.steps) {
    step.phases.transfer = Seconds{0.01};
  }

  const RuleOutcome outcome = decide("MG002");

  expect_complete(outcome, "MG002");
  EXPECT_NEAR(std::get<Finding>(outcome).evidence[0].value, 6e9, 1e6);
  EXPECT_NEAR(std::get<Finding>(outcome).evidence[1].value, 32e9, 1e6);
  // A tenth of a step goes to copies; five of six parts of it are more than the link needs.
  EXPECT_NEAR(
      1 - std::get<Finding>(outcome).gain.step_if_fixed / std::get<Finding>(outcome).gain.step_now,
      0.074,
      0.01);
}

TEST_F(RulesPairTest, CopiesThatWorkHidesAreWorthKnowingOnly) {
  copy_batches(kEightMegabytes / 6e9);

  EXPECT_EQ(std::get<Finding>(decide("MG002")).severity, FindingSeverity::info);
}

TEST_F(RulesPairTest, TheNarrowestLinkIsWhatCopiesAreHeldAgainst) {
  copy_batches(kEightMegabytes / 6e9);
  summary_.gpus->gpus[1].link_width = 4;  // 8 GB/s

  EXPECT_TRUE(is_passed(decide("MG002")));
}

TEST_F(RulesPairTest, SmallCopiesAndFewCopiesSayNothingOfALink) {
  copy_batches(kEightMegabytes / 6e9);
  for (SlotRecord& slot : summary_.slots) {
    slot.bytes = Bytes{4096};
  }
  EXPECT_NE(skip_reason(decide("MG002")).find("0 copies"), std::string::npos);

  copy_batches(kEightMegabytes / 6e9);
  summary_.slots.resize(5);
  EXPECT_NE(skip_reason(decide("MG002")).find("5 copies"), std::string::npos);
}

TEST_F(RulesPairTest, WithoutADirectWayTheOtherRuleSpeaks) {
  copy_batches(kEightMegabytes / 6e9);
  change_setup([](GpuSetup& setup) { setup.pairs[0].peer_copies = 0.0; });

  EXPECT_NE(skip_reason(decide("MG002")).find("MG001"), std::string::npos);
}

TEST_F(RulesPairTest, ARunOnOneGpuIsSentToValidate) {
  EXPECT_NE(skip_reason(decide("MG002")).find("qanat validate"), std::string::npos);
}

}  // namespace
}  // namespace qanat
