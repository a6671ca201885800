#include "selftest/paced_run.h"

#include <gtest/gtest.h>

#include "config/load_config.h"
#include "diagnose/run_measures.h"
#include "selftest/fault_injection.h"
#include "selftest/selftest_corpus.h"

namespace qanat {
namespace {

class PacedRunTest : public testing::Test {
 protected:
  PacedRunTest()
      : folder_(std::filesystem::path(testing::TempDir()) / "paced_run_test" /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    corpus_.emplace(folder_);
  }
  PacedRunTest(const PacedRunTest&) = delete;
  PacedRunTest& operator=(const PacedRunTest&) = delete;
  ~PacedRunTest() override { std::filesystem::remove_all(folder_); }

  RunSummary run(const RowFaults& faults, TrainObserver& observer, std::int64_t steps) {
    ConfigRequest request{.file = std::nullopt, .sets = corpus_->sets(), .flags = {}};
    request.sets.emplace_back("training.save_every=10");
    LoaderRequest loader = corpus_->loader();
    loader.around_source = [faults](std::unique_ptr<RowSource> rows) {
      return with_faults(std::move(rows), faults);
    };
    return run_paced({.config = load_config(request).values,
                      .loader = std::move(loader),
                      .steps = steps,
                      .observer = observer,
                      .journal = folder_ / "journal.jsonl"});
  }

  std::filesystem::path folder_;
  std::optional<SelftestCorpus> corpus_;
};

class CountingObserver : public TrainObserver {
 public:
  void on_step(const StepRecord&) override { ++steps; }
  void on_save(std::int64_t) override { ++saves; }
  int steps = 0;
  int saves = 0;
};

TEST_F(PacedRunTest, AStepTakesWhatItsFramesCost) {
  CountingObserver observer;

  const RunSummary summary = run({}, observer, 60);

  EXPECT_EQ(summary.steps.size(), 60U);
  EXPECT_EQ(observer.steps, 60);
  EXPECT_EQ(observer.saves, 6);
  EXPECT_LE(summary.pipeline->ring->slots, 6);  // slack would hide the fault
  const RunMeasures m = measure_run(summary);
  const double expected = 0.001 + 7e-6 * mean(m.padded);
  EXPECT_NEAR(m.breakdown.busy().count(), expected, 0.5 * expected);
}

TEST_F(PacedRunTest, TheJournalTellsTheWholeWay) {
  CountingObserver observer;

  const RunSummary summary = run({.read = Seconds{0.002}}, observer, 80);

  EXPECT_TRUE(summary.ending);
  ASSERT_TRUE(summary.pipeline);
  EXPECT_FALSE(summary.readings.empty());  // there was one before the end
  EXPECT_TRUE(summary.pipeline->process && summary.pipeline->ring);
  ASSERT_EQ(summary.pipeline->devices.size(), 1U);
  EXPECT_GT(summary.pipeline->devices[0].busy, Seconds{0});
  EXPECT_GT(summary.pipeline->row_times.total(), 0);
  ASSERT_GE(summary.slots.size(), 78U);
  EXPECT_GT(summary.slots.back().work, 8 * Seconds{0.002});  // eight rows, each with its delay
  EXPECT_GT(summary.run.allowed_cores.value(), 0);
}

}  // namespace
}  // namespace qanat
