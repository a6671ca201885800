#include "diagnose/work_model.h"

#include <random>

#include <gtest/gtest.h>

#include "metrics/order_statistics.h"

namespace qanat {
namespace {

struct Steps {
  std::vector<double> seconds;
  std::vector<double> frames;
};

// A perfect pipeline on clips of very different length.
Steps variable_lengths(std::size_t count) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> length(100, 500);
  std::normal_distribution<double> noise(1, 0.01);
  Steps run;
  for (std::size_t i = 0; i < count; ++i) {
    run.frames.push_back(length(random));
    run.seconds.push_back((0.010 + 0.0002 * run.frames.back()) * noise(random));
  }
  return run;
}

TEST(WorkModelTest, FindsFixedCostAndCostPerFrame) {
  const Steps run = variable_lengths(300);

  const WorkModel model = fit_work(run.seconds, run.frames);

  EXPECT_NEAR(model.fixed, 0.010, 0.001);
  EXPECT_NEAR(model.per_frame, 0.0002, 0.00001);
  EXPECT_GT(model.r2, 0.98);
}

TEST(WorkModelTest, APerfectRunOfVariableLengthsIsSteadyOnceAdjusted) {
  const Steps run = variable_lengths(300);

  const std::vector<double> adjusted =
      adjust_for_work(run.seconds, run.frames, fit_work(run.seconds, run.frames));

  EXPECT_GT(standard_deviation(run.seconds) / mean(run.seconds), 0.25);
  EXPECT_LT(standard_deviation(adjusted) / mean(adjusted), 0.02);
  EXPECT_NEAR(mean(adjusted), mean(run.seconds), 1e-3);
}

TEST(WorkModelTest, StallsDoNotBendIt) {
  Steps run = variable_lengths(300);
  for (std::size_t i = 0; i < run.seconds.size(); i += 10) {
    run.seconds[i] += 0.5;
  }

  EXPECT_NEAR(fit_work(run.seconds, run.frames).per_frame, 0.0002, 0.00003);
}

TEST(WorkModelTest, EqualWorkGivesAFlatModel) {
  const std::vector<double> seconds = {0.1, 0.2, 0.1, 0.1};
  const std::vector<double> frames(4, 800);

  const WorkModel model = fit_work(seconds, frames);

  EXPECT_EQ(model.per_frame, 0);
  EXPECT_NEAR(model.fixed, 0.1, 1e-12);
  EXPECT_EQ(adjust_for_work(seconds, frames, model), seconds);
}

}  // namespace
}  // namespace qanat
