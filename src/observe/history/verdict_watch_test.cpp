#include "history/verdict_watch.h"

#include <fstream>

#include <gtest/gtest.h>

#include "history/long_run_testing.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

// A run of 100 ms a step, of which what goes wrong is said; judged every hundred steps.
class VerdictWatchTest : public testing::Test {
 protected:
  // What happens to a mean step, in s.
  struct Course {
    double wait = 0;
    double for_core = 0;  // that the trainer waits, because of three other programs
  };

  VerdictWatchTest() {
    std::filesystem::remove(journal_);
    append(SessionStart{.device = "cpu"});
    append(RunStart{.mode = "single_buffered", .device = "cpu", .allowed_cores = 4});
    sample();
  }

  // What was said on the way.
  std::vector<std::string> run(int steps, const Course& course) {
    std::vector<std::string> said;
    for (const int end = step_ + steps; step_ < end; ++step_) {
      make_step(course);
      if (step_ % 20 == 19) {
        sample();
      }
      if (step_ % 100 == 99) {
        const Diagnosis* const settled = watch_.update();
        now_ += std::chrono::seconds(2);
        if (settled != nullptr) {
          said.push_back(first_cause(*settled));
        }
      }
    }
    return said;
  }

  std::string first_cause_of_report() const {
    return first_cause(diagnose_run(read_run_record(journal_).value().summary));
  }

 private:
  static std::string first_cause(const Diagnosis& diagnosis) {
    const Finding* const cause = cause_of(diagnosis);
    return cause != nullptr ? cause->id : std::string(to_string(diagnosis.verdict));
  }

  void append(const JournalEvent& event) {
    std::ofstream(journal_, std::ios::app) << line_of(event, time_).dump() << '\n';
  }

  void make_step(const Course& course) {
    const double work = 0.1 + course.for_core;
    const double total = course.wait + work;
    time_ += total;
    trainer_.running += 0.1;
    trainer_.waiting += course.for_core;
    const double load = course.wait > 0 ? total : 0.02;
    loader_.running += load;
    worker_.busy += Seconds{load};
    worker_.blocked += Seconds{total - load};
    worker_.rows += 16;
    others_ += course.for_core > 0 ? 3 * total : 0;
    append(StepRecord{.step = step_,
                      .epoch = step_ / 10,
                      .batch = step_ % 10,
                      .rows = 16,
                      .padded_frames = 400 + 13 * (step_ % 7),
                      .frames = std::int64_t{16} * 390,
                      .phases = {.wait = Seconds{course.wait},
                                 .forward = Seconds{work / 2},
                                 .backward = Seconds{work / 2}}});
  }

  void sample() {
    HostCounters counters;
    visit_counters(counters, [](const char*, Reading<double>& reading) { reading = 0.0; });
    counters.process_cpu = trainer_.running + loader_.running;
    counters.machine_busy = *counters.process_cpu + others_;
    counters.threads = std::vector<ThreadClock>{loader_, trainer_};
    append(HostSample{.setup = to_json(HostSetup{.online_cores = 4.0, .affinity_cores = 4.0}),
                      .counters = to_json(counters)});
    PipelineStats stats{.age = Seconds{time_}, .workers = {worker_}};
    stats.active_workers = 1;
    stats.batches = step_;
    stats.rows = worker_.rows;
    stats.ready.capacity = 8;
    stats.ready.occupancy = {.empty = worker_.busy, .full = worker_.blocked};
    append(stats);
  }

  const std::filesystem::path journal_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("verdict_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
       ".jsonl");
  double time_ = 0;
  int step_ = 0;
  ThreadClock trainer_{.name = "train", .threads = 1};
  ThreadClock loader_{.name = "load", .threads = 1};
  WorkerStats worker_{};
  double others_ = 0;
  Clock::time_point now_{};
  VerdictWatch watch_{journal_,
                      {.now = [this] { return now_; }, .cpu_time = [] { return Seconds{0}; }}};
};

using Said = std::vector<std::string>;

TEST_F(VerdictWatchTest, AHealthyRunIsCalledSoOnce) {
  EXPECT_EQ(run(1000, {}), Said{"BALANCED"});
  EXPECT_EQ(first_cause_of_report(), "BALANCED");
}

TEST_F(VerdictWatchTest, OtherProgramsAreNamedAsTheReportNamesThem) {
  EXPECT_EQ(run(1000, {.for_core = 0.05}), Said{"HOST005"});
  EXPECT_EQ(first_cause_of_report(), "HOST005");
}

TEST_F(VerdictWatchTest, ALoaderThatIsTooSlowIsNamedAsTheReportNamesIt) {
  const Said said = run(1000, {.wait = 0.08});

  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front(), first_cause_of_report());
  EXPECT_NE(said.front(), "BALANCED");
}

TEST_F(VerdictWatchTest, WhatComesLaterAndLastsIsSaid) {
  EXPECT_EQ(run(300, {}), Said{"BALANCED"});

  const Said said = run(700, {.for_core = 0.1});

  EXPECT_LE(said.size(), 2U);
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back(), first_cause_of_report());
}

TEST_F(VerdictWatchTest, CausesThatComeAndGoAreSaidThreeTimesAtMost) {
  std::size_t said = 0;
  for (int i = 0; i < 25; ++i) {
    said += run(40, i % 2 == 0 ? Course{.wait = 0.06} : Course{.for_core = 0.06}).size();
  }

  EXPECT_LE(said, 3U);
}

// It lives in the process that trains, for weeks.
TEST(VerdictWatchMemoryTest, OfALongRunTheLatestStepsAreHeld) {
  const std::filesystem::path journal =
      std::filesystem::path(testing::TempDir()) / "verdict_memory.jsonl";
  std::filesystem::remove(journal);
  constexpr auto kSteps = static_cast<std::int64_t>(VerdictWatch::kMaxSteps) + 500;
  {
    RunJournal writer(journal, {});
    for (std::int64_t i = 0; i < kSteps; ++i) {
      writer.record(step_of_long_run(i));
    }
  }
  VerdictWatch watch(journal);

  while (watch.record().history.num_steps < kSteps) {
    watch.update();
    ASSERT_LE(watch.record().summary.steps.size(), VerdictWatch::kMaxSteps);
  }

  EXPECT_EQ(watch.record().summary.num_steps(), kSteps);
}

}  // namespace
}  // namespace qanat
