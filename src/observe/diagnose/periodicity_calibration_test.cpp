// How often the test for periods is wrong, and how often it sees one that is there: hundreds of
// series of each kind. Slow; periodicity_test.cpp has a few of each.
#include <cmath>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "diagnose/periodicity.h"
#include "diagnose/periodicity_testing.h"

namespace qanat {
namespace {

using Family = std::vector<double> (*)(Random&, std::size_t);

constexpr int kRounds = 200;

std::vector<double> rare_stalls(Random& random, std::size_t count) {
  std::vector<double> values = white(random, count);
  std::bernoulli_distribution stalls(0.03);
  for (double& value : values) {
    value += stalls(random) ? 0.3 : 0;
  }
  return values;
}

struct NullCase {
  const char* name;
  Family family;
  std::size_t steps;
};

// NOLINTNEXTLINE(readability-identifier-naming): the name GoogleTest looks for
void PrintTo(const NullCase& c, std::ostream* out) {
  *out << c.name << " of " << c.steps << " steps";
}

class PeriodicityNullTest : public testing::TestWithParam<NullCase> {};

TEST_P(PeriodicityNullTest, AtMostOneSeriesInTwentyRaisesAFalseAlarm) {
  Random random(31);
  int alarms = 0;
  for (int i = 0; i < kRounds; ++i) {
    alarms += test_periodicity(GetParam().family(random, GetParam().steps)).pattern ? 1 : 0;
  }

  EXPECT_LE(alarms, kRounds / 20);
  RecordProperty("false_alarms_of_200", alarms);
}

INSTANTIATE_TEST_SUITE_P(Families,
                         PeriodicityNullTest,
                         testing::Values(NullCase{"white noise", white, 50},
                                         NullCase{"white noise", white, 300},
                                         NullCase{"drift", drift_series, 100},
                                         NullCase{"drift", drift_series, 300},
                                         NullCase{"level shift", level_shift_series, 100},
                                         NullCase{"level shift", level_shift_series, 300},
                                         NullCase{"AR(1)", autoregressive_series, 100},
                                         NullCase{"AR(1)", autoregressive_series, 300},
                                         NullCase{"warm-up", warm_up_series, 100},
                                         NullCase{"warm-up", warm_up_series, 300},
                                         NullCase{"rare stalls", rare_stalls, 300}));

struct PowerCase {
  std::size_t period;
  std::size_t steps;  // six cycles or more
};

// NOLINTNEXTLINE(readability-identifier-naming): the name GoogleTest looks for
void PrintTo(const PowerCase& c, std::ostream* out) {
  *out << "every " << c.period << " of " << c.steps << " steps";
}

class PeriodicityPowerTest : public testing::TestWithParam<PowerCase> {};

// Stalls of a tenth of a second in steps of a tenth.
TEST_P(PeriodicityPowerTest, NineteenInTwentyAreFoundAndTheirPeriodIsRight) {
  Random random(32);
  int right = 0;
  for (int i = 0; i < kRounds; ++i) {
    std::vector<double> values = white(random, GetParam().steps);
    for (std::size_t at = GetParam().period / 2; at < values.size(); at += GetParam().period) {
      values[at] += 0.1;
    }
    const Periodicity found = test_periodicity(values);
    right += found.pattern && found.pattern->period == GetParam().period ? 1 : 0;
  }

  EXPECT_GE(right, kRounds * 19 / 20);
  RecordProperty("right_of_200", right);
}

INSTANTIATE_TEST_SUITE_P(Periods,
                         PeriodicityPowerTest,
                         testing::Values(PowerCase{5, 40},
                                         PowerCase{8, 50},
                                         PowerCase{10, 100},
                                         PowerCase{16, 100},
                                         PowerCase{25, 150},
                                         PowerCase{32, 300},
                                         PowerCase{50, 300},
                                         PowerCase{100, 600}));

}  // namespace
}  // namespace qanat
