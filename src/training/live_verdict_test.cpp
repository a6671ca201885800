#include "training/live_verdict.h"

#include <atomic>
#include <semaphore>

#include <gtest/gtest.h>

#include "locale/messages/training.h"
#include "locale/translator.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

class LiveVerdictTest : public testing::Test {
 protected:
  // Steps of 100 ms, ten to an epoch, that waited `wait` seconds each.
  void run(int steps, double wait) {
    for (int i = 0; i < steps; ++i, ++step_) {
      now_ += 100;
      StepRecord record{.step = step_, .epoch = step_ / 10, .batch = step_ % 10, .rows = 16};
      record.padded_frames = 400 + 13 * (step_ % 7);
      record.frames = 16 * record.padded_frames * 97 / 100;
      record.phases.wait = Seconds(wait);
      record.phases.forward = Seconds(0.1);
      record_event(record);
    }
  }

  // A loader of one worker, which computes all the time, on eight cores.
  void record_starving_loader() {
    PipelineStats stats;
    stats.age = Seconds{10};
    stats.batches = 100;
    stats.active_workers = 1;
    stats.workers = {
        {.rows = 1600, .busy = Seconds{10}, .cpu = Seconds{10}, .run_delay = Seconds{0}}};
    stats.window.limit = 8;
    record_event(RunStart{.allowed_cores = 8});
    record_event(stats);
  }

  void record_event(const JournalEvent& event) { verdict_->record(event); }

  // Everything that was said, once all events are judged.
  std::vector<std::string> finish() {
    std::vector<std::string> lines;
    verdict_.reset();
    for (const VerdictGiven& verdict : journal_.events<VerdictGiven>()) {
      lines.push_back(verdict.text.value());
    }
    return lines;
  }

  std::vector<VerdictGiven> verdicts(std::string_view occasion) {
    std::vector<VerdictGiven> found;
    for (const VerdictGiven& verdict : journal_.events<VerdictGiven>()) {
      if (verdict.occasion == occasion) {
        found.push_back(verdict);
      }
    }
    return found;
  }

  EventList journal_;
  std::atomic<std::int64_t> now_{0};  // ms
  int step_ = 0;
  std::optional<LiveVerdict> verdict_{
      std::in_place, &journal_, LiveVerdictOptions{.between_epochs = Seconds{0}, .now = [this] {
                                                     return Clock::time_point(
                                                         std::chrono::milliseconds(now_.load()));
                                                   }}};
};

TEST_F(LiveVerdictTest, DamagedFeaturesAreSaidOnce) {
  record_event(DamagedFeatures{.reason = "shard-000000.qshard: cut"});
  record_event(DamagedFeatures{.reason = "another"});

  EXPECT_EQ(
      verdict_->take(),
      std::vector<MessageArg>{msg::train_damaged_features{.reason = "shard-000000.qshard: cut"}});
}

TEST_F(LiveVerdictTest, AStarvingRunIsWarnedOnceWithTheRuleAndTheRemedy) {
  record_starving_loader();
  run(300, 0.05);

  finish();

  const std::vector<VerdictGiven> warnings = verdicts("starving");
  ASSERT_EQ(warnings.size(), 1U);
  const auto text = warnings[0].text.value();
  EXPECT_NE(text.find("DL002"), std::string::npos) << text;
  EXPECT_NE(text.find("--num-workers"), std::string::npos) << text;
  EXPECT_LE(warnings[0].step.value(), 30);  // at once
}

TEST_F(LiveVerdictTest, AHealthyRunHearsItsVerdictAndNoWarning) {
  run(100, 0.0005);

  finish();

  EXPECT_TRUE(verdicts("starving").empty());
  ASSERT_FALSE(verdicts("epoch").empty());
  for (const VerdictGiven& verdict : verdicts("epoch")) {
    EXPECT_NE(verdict.text.value().find("BALANCED"), std::string::npos) << *verdict.text;
  }
}

TEST_F(LiveVerdictTest, AFewStepsAreNoVerdict) {
  run(15, 0.0);

  EXPECT_TRUE(finish().empty());
}

class NoteObserver : public TrainObserver {
 public:
  void on_note(const MessageArg& note) override { notes.push_back(Translator().said(note)); }
  void on_step(const StepRecord&) override { ++steps; }
  std::vector<std::string> notes;
  int steps = 0;
};

// Says when something was recorded.
class SignallingSink : public EventSink {
 public:
  void record(const JournalEvent&) override { recorded.release(); }
  std::counting_semaphore<> recorded{0};
};

TEST(VerdictObserverTest, TheObserverIsToldWithItsSteps) {
  NoteObserver inner;
  SignallingSink journal;
  LiveVerdict verdict(&journal);
  for (int i = 0; i < 60; ++i) {
    verdict.record(
        StepRecord{.step = i, .phases = {.wait = Seconds{0.05}, .forward = Seconds{0.1}}});
  }
  journal.recorded.acquire();

  VerdictObserver(inner, verdict).on_step(StepRecord{});

  EXPECT_EQ(inner.steps, 1);
  ASSERT_EQ(inner.notes.size(), 1U);
  EXPECT_NE(inner.notes[0].find("starves"), std::string::npos);
}

TEST(VerdictObserverTest, IsToldInTheLanguageAskedFor) {
  NoteObserver inner;
  SignallingSink journal;
  LiveVerdict verdict(&journal, {.words = Translator(Language::fa)});
  for (int i = 0; i < 60; ++i) {
    verdict.record(
        StepRecord{.step = i, .phases = {.wait = Seconds{0.05}, .forward = Seconds{0.1}}});
  }
  journal.recorded.acquire();

  VerdictObserver(inner, verdict).on_step(StepRecord{});

  ASSERT_EQ(inner.notes.size(), 1U);
  EXPECT_NE(inner.notes[0].find("دستگاه گرسنه است"), std::string::npos) << inner.notes[0];
}

}  // namespace
}  // namespace qanat
