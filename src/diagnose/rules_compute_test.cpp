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

TEST_F(RulesComputeTest, SavesThatTakeTheirTimeAreAWarningHoweverRareTheyAre) {
  save(25, 0.80);
  save(50, 0.82);

  expect_complete(decide("CMP007"), "CMP007");
  EXPECT_EQ(severity_of_saving(), FindingSeverity::crit);
  const Gain gain = std::get<Finding>(decide("CMP007")).gain;
  EXPECT_NEAR(gain.seconds_saved(), 1.62 / 60, 0.001);
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

TEST_F(RulesComputeTest, TwoPausesOfAnyLengthMayBeChance) {
  save(25, 0.05);
  save(50, 0.15);

  EXPECT_EQ(severity_of_saving(), FindingSeverity::info);
}

TEST_F(RulesComputeTest, OnePauseMayBeChance) {
  save(40, 0.8);

  EXPECT_EQ(severity_of_saving(), FindingSeverity::info);
}

}  // namespace
}  // namespace qanat
