#include "diagnose/gain.h"

#include <limits>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(GainTest, AValueLiesInItsIntervalAndLeavesSomeTime) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double seconds : {-1.0, 0.0, 0.3, 0.99, 5.0, infinity}) {
    for (const Range range : {Range{.low = -2, .high = 0.1}, Range{.low = 0.5, .high = infinity}}) {
      const Gain gain = make_gain(1, {.seconds = seconds, .range = range}, GainMethod::replay);

      EXPECT_GT(gain.step_if_fixed, 0);
      EXPECT_LE(gain.step_if_fixed, gain.step_now);
      EXPECT_LE(gain.ci95.low, gain.speedup);
      EXPECT_GE(gain.ci95.high, gain.speedup);
      EXPECT_GE(gain.ci95.low, 1);
    }
  }
}

TEST(GainTest, NothingIsGainedWithoutSteps) {
  EXPECT_EQ(make_gain(0, saving_within(1, 0.5, 2), GainMethod::replay).speedup, 1);
}

TEST(GainTest, AnIntervalOverAFactorOfTwoIsNoHeadline) {
  EXPECT_TRUE(is_sharp(make_gain(1, saving_within(0.4, 0.7, 1.3), GainMethod::replay)));
  EXPECT_FALSE(is_sharp(make_gain(1, saving_within(0.6, 0.5, 1.5), GainMethod::replay)));
}

TEST(GainTest, OfAGainThatIsHardlyKnownOnlyWhatIsSureCounts) {
  const Gain known = make_gain(1, saving_within(0.4, 0.7, 1.3), GainMethod::replay);
  const Gain hardly = make_gain(1, saving_within(0.6, 0.5, 1.5), GainMethod::replay);

  EXPECT_NEAR(seconds_that_count(known), 0.4, 1e-9);
  EXPECT_NEAR(seconds_that_count(hardly), 0.3, 1e-9);
}

}  // namespace
}  // namespace qanat
