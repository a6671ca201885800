#include "training/live_verdict.h"

#include <atomic>
#include <optional>
#include <semaphore>

#include <gtest/gtest.h>

#include "locale/messages/training.h"
#include "locale/translator.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

class NoteObserver : public TrainObserver {
 public:
  void on_note(const MessageArg& note) override {
    notes.push_back(note);
    told.release();
  }
  std::vector<MessageArg> notes;
  std::counting_semaphore<> told{0};
};

// Steps of a run whose one worker is too slow.
class LiveVerdictTest : public testing::Test {
 protected:
  LiveVerdictTest() : journal_(fresh_path()) {
    journal_.record(RunStart{.mode = "single_buffered", .device = "cpu", .allowed_cores = 4});
  }

  static std::filesystem::path fresh_path() {
    std::filesystem::remove(path());
    return path();
  }
  static std::filesystem::path path() {
    return std::filesystem::path(testing::TempDir()) /
           (std::string("live_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
            ".jsonl");
  }

  void record_steps(int count) {
    for (int i = 0; i < count; ++i, ++step_) {
      journal_.record(
          StepRecord{.step = step_, .phases = {.wait = Seconds{0.05}, .forward = Seconds{0.1}}});
      if (step_ % 20 == 19) {
        const Seconds age{0.15 * (step_ + 1)};
        PipelineStats stats{.age = age, .workers = {{.rows = step_ + 1, .busy = age}}};
        stats.active_workers = 1;
        stats.batches = stats.rows = step_ + 1;
        stats.ready.occupancy.empty = age;
        journal_.record(stats);
      }
    }
  }

  RunJournal journal_;
  EventList given_;
  NoteObserver observer_;
  int step_ = 0;
  // Every look is three seconds after the one before.
  std::atomic<int> now_ = 0;
  std::optional<LiveVerdict> verdict_{
      std::in_place,
      LiveVerdictOptions{
          .journal = path(),
          .watch = {.now = [this] { return Clock::time_point(std::chrono::seconds(now_ += 3)); },
                    .cpu_time = [] { return Seconds{0}; }},
          .pause = Seconds{0.001}},
      observer_,
      given_};
};

TEST_F(LiveVerdictTest, DamagedFeaturesAreSaidOnce) {
  verdict_->record(DamagedFeatures{.reason = "shard-000000.qshard: cut"});
  verdict_->record(DamagedFeatures{.reason = "another"});

  EXPECT_EQ(
      observer_.notes,
      std::vector<MessageArg>{msg::train_damaged_features{.reason = "shard-000000.qshard: cut"}});
}

TEST_F(LiveVerdictTest, ARecordingThatCannotBeUsedIsSaidOnce) {
  verdict_->record(BadUtterance{.file = "wavs/a.wav", .reason = "cannot open: Permission denied"});
  verdict_->record(BadUtterance{.file = "wavs/b.wav", .reason = "wavs/b.wav: another"});

  EXPECT_EQ(observer_.notes,
            std::vector<MessageArg>{
                msg::train_bad_utterance{.reason = "wavs/a.wav: cannot open: Permission denied"}});
}

TEST_F(LiveVerdictTest, TheObserverIsToldOnceWithOneReasonAndTheJournalKeepsIt) {
  verdict_->start();
  while (!observer_.told.try_acquire_for(std::chrono::milliseconds(1))) {
    record_steps(1);
  }
  verdict_->record(RunEnd{});
  verdict_.reset();

  ASSERT_EQ(observer_.notes.size(), 1U);
  const std::string note = Translator().said(observer_.notes.front());
  const std::vector<VerdictGiven> given = given_.events<VerdictGiven>();
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given.front().text, note);
  const std::size_t rule = note.find("DL0");
  ASSERT_NE(rule, std::string::npos) << note;
  const std::string reason = note.substr(rule + 6, 20);
  EXPECT_EQ(note.find(reason, rule + 7), std::string::npos) << note;
  EXPECT_NE(Translator(Language::fa).said(observer_.notes.front()).find("حکم"), std::string::npos);
}

}  // namespace
}  // namespace qanat
