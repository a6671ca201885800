#include <cmath>

#include <gmock/gmock.h>

#include "diagnose/rules_testing.h"
#include "metrics/journal_recap.h"

namespace qanat {
namespace {

using testing::HasSubstr;

// A run of 400 steps that is validated every 50; the loss is lowest at step 100.
class RulesLearningTest : public RulesTest {
 protected:
  RulesLearningTest() { summary_ = {}; }

  struct Course {
    double training_at_end = 0.5;  // of the loss at the beginning
    double rise = 0.1;             // of the validation's loss, with every validation
    double error = 0.02;           // of that
    int clips = 12;
    std::int64_t resumed_at = 0;
  };

  static std::vector<JournalEvent> events_of(const Course& course) {
    std::vector<JournalEvent> events{SessionStart{.command = "train"}};
    for (std::int64_t i = course.resumed_at; i < 400; ++i) {
      const double share = static_cast<double>(i) / 400;
      StepRecord step{.step = i, .rows = 16, .padded_frames = 400, .frames = 6000};
      const auto noise = static_cast<double>((i * 7) % 5);
      step.losses.mel = 2 * std::lerp(1.0, course.training_at_end, share) + 0.01 * noise;
      step.losses.total = 3;  // of another kind: switched on half way
      step.phases.forward = Seconds{0.1};
      events.emplace_back(step);
      if ((i + 1) % 50 == 0) {
        events.emplace_back(validation(i + 1, course));
      }
    }
    return events;
  }

  static ValidationDone validation(std::int64_t step, const Course& course) {
    constexpr std::int64_t kLowest = 100;
    ValidationDone done{.step = step, .loss = 2.4, .score = 1.0, .best = step == kLowest};
    if (step > 50) {
      done.since_lowest = SinceLowest{.step = step > kLowest ? kLowest : 50,
                                      .clips = course.clips,
                                      .loss = 2.4,
                                      .change = -0.2,
                                      .error = course.error};
    }
    if (step > kLowest) {
      done.since_lowest->change = course.rise * static_cast<double>(step - kLowest) / 50;
    }
    return done;
  }

  RuleOutcome judge(const Course& course) {
    for (const JournalEvent& event : events_of(course)) {
      summary_.add(JournalEntry{.event = event});
    }
    return decide("LRN001");
  }
};

TEST_F(RulesLearningTest, ValidationThatGetsWorseWhileTrainingGetsBetterIsOverfitting) {
  const RuleOutcome outcome = judge({});

  expect_complete(outcome, "LRN001");
  const Finding& finding = std::get<Finding>(outcome);
  EXPECT_THAT(english(finding.title), HasSubstr("at step 100"));
  EXPECT_EQ(finding.severity, FindingSeverity::warn);
  EXPECT_EQ(finding.gain.seconds_saved(), 0);
  EXPECT_EQ(finding.fixes[1].key, "training.early_stopping_patience");
}

TEST_F(RulesLearningTest, PatienceIsNotProposedToThoseWhoHaveSome) {
  judge({});
  summary_.config = {{"training", {{"early_stopping_patience", 20}}}};

  const RuleOutcome outcome = decide("LRN001");
  for (const Fix& fix : std::get<Finding>(outcome).fixes) {
    EXPECT_FALSE(fix.is_setting()) << fix.key;
  }
}

TEST_F(RulesLearningTest, FewClipsThatDisagreeSayNothing) {
  EXPECT_THAT(skip_reason(judge({.error = 0.3, .clips = 12})), HasSubstr("12 clips are too few"));
}

TEST_F(RulesLearningTest, ThreeClipsSayNothingWhateverTheySay) {
  EXPECT_THAT(skip_reason(judge({.error = 0.0, .clips = 3})), HasSubstr("3 clips are too few"));
}

TEST_F(RulesLearningTest, TrainingThatDoesNotGetBetterEitherIsNoOverfitting) {
  EXPECT_THAT(skip_reason(judge({.training_at_end = 1.0})), HasSubstr("did not get better"));
}

TEST_F(RulesLearningTest, ARiseThatIsHardlyOneIsNoFinding) {
  EXPECT_TRUE(is_passed(judge({.rise = 0.001, .error = 0})));
}

TEST_F(RulesLearningTest, OneBadValidationIsNoFinding) {
  judge({});
  for (std::size_t i = 0; i + 1 < summary_.validations.size(); ++i) {
    if (summary_.validations[i].since_lowest) {
      summary_.validations[i].since_lowest->change = -0.1;
    }
  }

  EXPECT_TRUE(is_passed(decide("LRN001")));
}

TEST_F(RulesLearningTest, WhatDecidesMayStillGetBetter) {
  judge({});
  summary_.validations.back().best = true;

  EXPECT_TRUE(is_passed(decide("LRN001")));
}

TEST_F(RulesLearningTest, ARunThatWasResumedBehindTheLowestIsComparedWithItsOwnBeginning) {
  expect_complete(judge({.resumed_at = 200}), "LRN001");
}

TEST_F(RulesLearningTest, RunsWithoutValidationsOrOfEarlierVersionsAreNotAsked) {
  const RunMeasures measures = measure_run(summary_);
  const RuleInput input{.summary = summary_, .measures = measures};
  const Rule& rule = *find_rule("LRN001");
  EXPECT_FALSE(is_asked(rule, input)) << "no validation";

  judge({});
  EXPECT_TRUE(is_asked(rule, input));
  for (ValidationDone& done : summary_.validations) {
    done.since_lowest.reset();
  }

  EXPECT_FALSE(is_asked(rule, input)) << "none that was compared";
}

// The file before is gone: steps are joined, validations are repeated.
TEST_F(RulesLearningTest, ALongJournalStillTells) {
  JournalRecap recap;
  for (const JournalEvent& event : events_of({})) {
    recap.add(JournalEntry{.at = Seconds{1}, .event = event});
  }

  for (const std::string& line : recap.lines()) {
    summary_.add(to_journal_entry(nlohmann::json::parse(line)).value());
  }

  EXPECT_TRUE(summary_.steps.empty());
  expect_complete(decide("LRN001"), "LRN001");
}

}  // namespace
}  // namespace qanat
