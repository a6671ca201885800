#include "torch_cli/train_display.h"

#include <sstream>

#include <gmock/gmock.h>

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::Not;

// A clock that is moved by hand.
struct FakeClock {
  Clock::time_point time;
  std::function<Clock::time_point()> fn() {
    return [this] { return time; };
  }
};

StepRecord step(std::int64_t number) {
  return {.step = number,
          .epoch = 1,
          .losses = {.total = 2.5},
          .phases = {.wait = Seconds(0.01), .forward = Seconds(0.19), .backward = Seconds(0.3)}};
}

constexpr Terminal kTerminal{.interactive = true, .width = 200};
constexpr Terminal kLogFile{};

TEST(TrainDisplayTest, TheLineSaysWhatTheContractPromises) {
  EXPECT_EQ(to_text({.step = 20,
                     .last_step = 120,
                     .epoch = 3,
                     .loss = 1.25,
                     .steps_per_second = 2,
                     .wait_share = 0.004,
                     .busy_share = 0.99}),
            "step 20/120  epoch 3  loss 1.2500  2.00 steps/s  data wait 0.4%  busy 99.0%  ETA "
            "0:50");
}

TEST(TrainDisplayTest, RatesComeFromTheBreakdown) {
  std::ostringstream out;
  TrainDisplay display(out, kTerminal, {});
  display.start(0, 10);

  display.on_step(step(0));

  EXPECT_THAT(out.str(), HasSubstr("step 1/10"));
  EXPECT_THAT(out.str(), HasSubstr("2.00 steps/s"));
  EXPECT_THAT(out.str(), HasSubstr("data wait 2.0%"));
  EXPECT_THAT(out.str(), HasSubstr("busy 98.0%"));
}

TEST(TrainDisplayTest, ALogGetsALineNowAndThenAndTheLastOne) {
  std::ostringstream out;
  FakeClock clock;
  TrainDisplay display(out, kLogFile, {.now = clock.fn()});
  display.start(0, 10);

  display.on_step(step(0));
  clock.time += std::chrono::seconds(1);
  display.on_step(step(1));
  clock.time += std::chrono::seconds(1);
  display.on_step(step(2));
  display.finish();

  EXPECT_THAT(out.str(), HasSubstr("step 1/10"));
  EXPECT_THAT(out.str(), Not(HasSubstr("step 2/10")));
  EXPECT_THAT(out.str(), HasSubstr("step 3/10"));
  EXPECT_THAT(out.str(), Not(HasSubstr("\r")));
}

TEST(TrainDisplayTest, ALogGetsALineEveryAsManyStepsAsAskedFor) {
  std::ostringstream out;
  TrainDisplay display(out, kLogFile, {.log_every = 2});
  display.start(0, 10);

  for (std::int64_t i = 0; i < 4; ++i) {
    display.on_step(step(i));
  }

  EXPECT_THAT(out.str(), Not(HasSubstr("step 1/10")));
  EXPECT_THAT(out.str(), HasSubstr("step 2/10"));
  EXPECT_THAT(out.str(), HasSubstr("step 4/10"));
}

TEST(TrainDisplayTest, ANoteTakesThePlaceOfTheLineThatIsRewritten) {
  std::ostringstream out;
  TrainDisplay display(out, kTerminal, {});
  display.on_step(step(0));

  display.on_note("careful");

  EXPECT_THAT(out.str(), HasSubstr("\r\x1b[Knote: careful\n"));
}

// The losses got worse, the score did not: it stands beside the word.
TEST(TrainDisplayTest, WhatDecidesWhichIsBestIsPrinted) {
  std::ostringstream out;
  TrainDisplay display(out, kLogFile, {});
  ValidationDone done{.step = 100,
                      .score = 0.75,
                      .best = true,
                      .result = {.losses = {.total = 3.04, .mel = 1.25},
                                 .free_running = FreeRunning{
                                     .utterances = 4, .mel_distance = 0.5, .length_error = 0.5}}};

  display.on_validation(done, {.best_score = 0.75, .best_step = 100});
  done = {.step = 200, .score = 0.875, .result = {.losses = {.total = 2.5, .mel = 1}}};
  display.on_validation(done, {.best_score = 0.75, .best_step = 100});

  EXPECT_THAT(out.str(), HasSubstr("length off by 50.0%; score 0.7500 (best so far)\n"));
  EXPECT_THAT(out.str(), HasSubstr("mel 1.0000; score 0.8750 (best: 0.7500 at step 100)\n"));
}

TEST(TrainDisplayTest, NeverWiderThanTheTerminal) {
  std::ostringstream out;
  TrainDisplay display(out, {.interactive = true, .width = 20}, {});

  display.on_step(step(0));

  EXPECT_EQ(out.str().size(), std::string("\r\x1b[K").size() + 19);
}

}  // namespace
}  // namespace qanat
