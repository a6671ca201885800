#include "diagnose/core_use.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"

namespace qanat {
namespace {

// Steps of 50 ms on a machine whose other cores are busy all the time. A test says which of them
// take longer, and in which the trainer's thread had to wait for a core.
class BesideOthersTest : public testing::Test {
 protected:
  static constexpr int kSteps = 200;
  static constexpr int kMoment = 120;
  static constexpr int kStepsApart = 10;   // samples of the host
  static constexpr double kLonger = 0.02;  // s

  JournalEntry sample(double at) const {
    HostCounters counters;
    counters.process_cpu = 0.0;
    counters.machine_busy = 1.9 * at;
    counters.machine_stolen = 0.0;
    counters.threads = std::vector<ThreadClock>{clock_};
    return {.at = Seconds{at},
            .event = HostSample{.counters = to_json(counters, Reasons::left_out)}};
  }

  using OfStep = std::function<double(int step)>;  // s

  // `waited`: the thread was ready and had no core.
  void run(const OfStep& longer, const OfStep& waited, const char* thread = "train") {
    summary_.add({.event = RunStart{.mode = "watch", .allowed_cores = 2}});
    clock_ = {.name = thread, .threads = 1};
    double at = 0;
    for (int i = 0; i < kSteps; ++i) {
      const double seconds = 0.05 + 0.0002 * (i % 7) + longer(i);
      if (i % kStepsApart == 0) {
        summary_.add(sample(at));
        summary_.host->setup.online_cores = 2.0;
      }
      clock_.running += 0.001;
      clock_.waiting += waited(i);
      at += seconds;
      summary_.add(StepRecord{.step = i, .rows = 4, .phases = {.forward = Seconds{seconds}}});
    }
    summary_.add(sample(at));
  }

  static double from_the_moment(int step) { return step < kMoment ? 0 : kLonger; }

  std::string explanation_of(std::string_view rule) const {
    const Diagnosis diagnosis = diagnose_run(summary_);
    const auto found = std::ranges::find(diagnosis.findings, rule, &Finding::id);
    return found == diagnosis.findings.end() ? "not found" : std::string(found->explained_by);
  }
  bool blames_others() const {
    const Diagnosis diagnosis = diagnose_run(summary_);
    return std::ranges::find(diagnosis.findings, "HOST005", &Finding::id) !=
           diagnosis.findings.end();
  }
  std::optional<double> growth(ThreadRole role = ThreadRole::trainer) const {
    return growth_of_delay(*summary_.host, role, {.begin = 0, .moment = kMoment});
  }

  RunSummary summary_;
  ThreadClock clock_;
};

TEST_F(BesideOthersTest, ThoseWhoWereThereAllTheTimeDoNotExplainAChange) {
  run(from_the_moment, [](int) { return 0.008; });

  EXPECT_TRUE(blames_others());
  EXPECT_EQ(explanation_of("PER003"), "");
  EXPECT_NEAR(*growth(), 0, 1e-9);
}

TEST_F(BesideOthersTest, ThoseWhoCameAtThatMomentDo) {
  run(from_the_moment, from_the_moment);

  EXPECT_EQ(explanation_of("PER003"), "HOST005");
  EXPECT_NEAR(*growth(), kLonger, 1e-9);
}

TEST_F(BesideOthersTest, ThoseWhoLeftDoNot) {
  run(from_the_moment, [](int step) { return step < kMoment ? kLonger : 0.0; });

  EXPECT_EQ(explanation_of("PER003"), "");
  EXPECT_NEAR(*growth(), -kLonger, 1e-9);
}

TEST_F(BesideOthersTest, TheyDoNotCountSteps) {
  run([](int step) { return step % 12 == 0 ? 0.08 : 0; }, [](int) { return 0.008; });

  EXPECT_TRUE(blames_others());
  EXPECT_EQ(explanation_of("PER001"), "");
}

TEST_F(BesideOthersTest, WhereSamplesAreMissingTheyMayBeTheReason) {
  run(from_the_moment, [](int) { return 0.01; });
  summary_.host->course.resize(2);

  EXPECT_EQ(explanation_of("PER003"), "HOST005");
  EXPECT_EQ(growth(), std::nullopt);
}

TEST_F(BesideOthersTest, ThreadsOfTheLoaderAreCountedByThemselves) {
  run(from_the_moment, from_the_moment, "load");

  EXPECT_NEAR(*growth(), 0, 1e-9);
  EXPECT_NEAR(*growth(ThreadRole::loader), kLonger, 1e-9);
}

TEST_F(BesideOthersTest, AMomentOutsideOfTheSamplesTellsNothing) {
  run(from_the_moment, [](int) { return 0.01; });

  EXPECT_EQ(growth_of_delay(*summary_.host, ThreadRole::trainer, {.begin = 0, .moment = 0}),
            std::nullopt);
  EXPECT_EQ(growth_of_delay(*summary_.host, ThreadRole::trainer, {.begin = 0, .moment = kSteps}),
            std::nullopt);
  EXPECT_EQ(growth_of_delay(*summary_.host, ThreadRole::trainer, {.begin = -5, .moment = -1}),
            std::nullopt);
}

TEST(CourseTest, IsThinnedOutInALongRunAndBeginsWithTheLastSampleBeforeTheSteps) {
  RunSummary summary;
  const auto line = [](double at) {
    return JournalEntry{
        .at = Seconds{at},
        .event = HostSample{.counters = to_json(HostCounters{}, Reasons::left_out)}};
  };
  summary.add(line(0));
  summary.add(line(1));
  for (int i = 0; i < 1000; ++i) {
    summary.add(StepRecord{.step = i});
    summary.add(line(2 + i));
  }

  const std::vector<ThreadsAtStep>& course = summary.host->course;
  EXPECT_LE(course.size(), RunSummary::kMaxReadings);
  EXPECT_GE(course.size(), RunSummary::kMaxReadings / 2);
  EXPECT_EQ(course.front().steps, 0);
  EXPECT_TRUE(std::ranges::is_sorted(course, std::less_equal{}, &ThreadsAtStep::steps));
}

}  // namespace
}  // namespace qanat
