#include "diagnose/settled_verdict.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

// A verdict with the cause behind it; without one the run is balanced.
Diagnosis verdict(const std::string& cause) {
  Diagnosis diagnosis{.verdict =
                          cause.empty() ? VerdictKind::balanced : VerdictKind::host_overhead};
  diagnosis.measures.steady.resize(kMinSteps);
  if (!cause.empty()) {
    diagnosis.findings = {{.id = cause,
                           .severity = FindingSeverity::warn,
                           .gain = {.step_now = 1, .step_if_fixed = 0.5}}};
  }
  return diagnosis;
}

class SettledVerdictTest : public testing::Test {
 protected:
  // Judges the run every `every` steps, for `steps` steps. How many changes were reported.
  int judge(const std::string& cause, std::int64_t steps, std::int64_t every = 30) {
    int settled = 0;
    for (const std::int64_t end = steps_ + steps; steps_ < end;) {
      steps_ += every;
      settled += settled_.observe(verdict(cause), steps_) ? 1 : 0;
    }
    return settled;
  }

  SettledVerdict settled_;
  std::int64_t steps_ = 0;
};

TEST_F(SettledVerdictTest, AVerdictThatLastsIsSaidOnce) {
  EXPECT_EQ(judge("HOST005", 60), 0);
  EXPECT_EQ(judge("HOST005", 900), 1);
}

TEST_F(SettledVerdictTest, FewJudgementsOverManyStepsAreNotEnough) {
  EXPECT_EQ(judge("HOST005", 400, 200), 0);
  EXPECT_EQ(judge("HOST005", 200, 200), 1);
}

TEST_F(SettledVerdictTest, ManyJudgementsOverFewStepsAreNotEnough) {
  EXPECT_EQ(judge("HOST005", 50, 1), 0);
}

TEST_F(SettledVerdictTest, TheSameStepsJudgedAgainAreNoNews) {
  (void)settled_.observe(verdict("HOST005"), 100);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(settled_.observe(verdict("HOST005"), 300));
  }
  EXPECT_TRUE(settled_.observe(verdict("HOST005"), 301));
}

TEST_F(SettledVerdictTest, AVerdictThatWaversIsNotSaid) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(judge(i % 2 == 0 ? "HOST005" : "DL001", 60), 0);
  }
}

TEST_F(SettledVerdictTest, AShortChangeOfALongRunIsNotSaid) {
  EXPECT_EQ(judge("HOST005", 20'000), 1);
  EXPECT_EQ(judge("DL001", 1'000), 0);
  EXPECT_EQ(judge("HOST005", 20'000), 0) << "it was said before";
}

TEST_F(SettledVerdictTest, AChangeThatLastsIsSaid) {
  EXPECT_EQ(judge("HOST005", 300), 1);
  EXPECT_EQ(judge("DL001", 300), 1);
  EXPECT_EQ(judge("", 300), 1);
}

TEST_F(SettledVerdictTest, AtMostThreeChangesAreSaidInAThousandSteps) {
  int settled = 0;
  for (int i = 0; i < 10; ++i) {
    settled += judge(i % 2 == 0 ? "HOST005" : "DL001", 100, 10);
  }

  EXPECT_EQ(settled, 3);
  EXPECT_EQ(judge("", 2000), 1) << "what was held back is said later, if it still holds";
}

TEST_F(SettledVerdictTest, TooFewStepsAreNoVerdict) {
  Diagnosis early = verdict("");
  early.measures.steady.resize(kMinSteps - 1);

  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(settled_.observe(early, 100 * i));
  }
}

}  // namespace
}  // namespace qanat
