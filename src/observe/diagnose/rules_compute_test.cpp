#include "diagnose/rules_testing.h"

namespace qanat {
namespace {

class RulesComputeTest : public RulesTest {
 protected:
  void save(std::size_t step, double seconds) {
    summary_.steps.at(step).phases.checkpoint = Seconds{seconds};
  }
  FindingSeverity severity_of_saving() const {
    return std::get<Finding>(decide("CMP007")).severity;
  }
};

// Saves every 25 steps that are made every 100 leave a quarter of their cost.
TEST_F(RulesComputeTest, SavesThatTakeTheirTimeAreAWarningHoweverRareTheyAre) {
  summary_.run.cadences = {{"training.log_every", 10}, {"training.save_every", 25}};
  save(25, 0.80);
  save(50, 0.82);

  expect_complete(decide("CMP007"), "CMP007");
  EXPECT_EQ(severity_of_saving(), FindingSeverity::crit);
  const Gain gain = std::get<Finding>(decide("CMP007")).gain;
  EXPECT_NEAR(gain.seconds_saved(), 0.75 * 1.62 / 60, 0.001);
  const Fix fix = std::get<Finding>(decide("CMP007")).fixes.at(0);
  EXPECT_EQ(fix.key, "training.save_every");
  EXPECT_EQ(fix.value, "100");
  EXPECT_DOUBLE_EQ(*fix.predicted_step, gain.step_if_fixed);
  EXPECT_LT(gain.ci95.low, gain.speedup);
  EXPECT_GT(gain.ci95.high, gain.speedup);
}

TEST_F(RulesComputeTest, LoggingBesideThemDoesNotMakeSavesUncertain) {
  for (std::size_t i = 0; i < summary_.steps.size(); ++i) {
    save(i, 0.0005);
  }
  save(25, 0.80);
  save(50, 0.82);

  EXPECT_EQ(severity_of_saving(), FindingSeverity::crit);
}

// Validation takes the time, and no save was made at all.
TEST_F(RulesComputeTest, WhatIsDoneRarelyAlreadyIsNotBlamed) {
  summary_.run.cadences = {{"training.save_every", 5000}, {"training.validate_every", 20}};
  save(20, 0.80);
  save(40, 0.82);
  EXPECT_EQ(std::get<Finding>(decide("CMP007")).fixes.at(0).key, "training.validate_every");

  summary_.run.cadences = {{"training.save_every", 5000}};
  EXPECT_TRUE(std::get<Finding>(decide("CMP007")).fixes.empty());
}

TEST_F(RulesComputeTest, TwoPausesOfAnyLengthMayBeChance) {
  save(25, 0.05);
  save(50, 0.15);

  EXPECT_EQ(severity_of_saving(), FindingSeverity::info);
}

TEST_F(RulesComputeTest, OnePauseMayBeChance) {
  save(40, 0.8);

  EXPECT_EQ(severity_of_saving(), FindingSeverity::info);
}

// Twice what the run does now, whatever the default is.
TEST_F(RulesComputeTest, UpdatesAreProposedTwiceAsRareAsTheyAre) {
  for (StepRecord& step : summary_.steps) {
    step.batches = 3;
    step.phases.optimizer = 0.5 * step.phases.total();
  }

  const Fix fix = std::get<Finding>(decide("CMP006")).fixes.at(0);

  EXPECT_EQ(fix.key, "training.gradient_accumulation_steps");
  EXPECT_EQ(fix.value, "6");
}

}  // namespace
}  // namespace qanat
