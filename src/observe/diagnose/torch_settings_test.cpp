#include "diagnose/torch_settings.h"

#include <gtest/gtest.h>

#include "diagnose/rules_testing.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

// A PyTorch loop with its loader's arguments.
class TorchSettingsTest : public RulesTest {
 protected:
  TorchSettingsTest() { summary_.trained_by = TrainedBy::torch; }

  // The loop waits for `workers` workers that were busy `busy` of ten seconds and computed.
  void load(int workers, double busy) {
    wait_for_data(0.1);
    PipelineStats& stats = *summary_.pipeline;
    stats = PipelineStats{};
    stats.age = Seconds{10};
    stats.active_workers = workers;
    stats.window.limit = 2 * workers;
    stats.batches = 60;
    WorkerStats worker{.rows = 100, .busy = Seconds{busy}, .blocked = Seconds{10 - busy}};
    worker.cpu = worker.busy;
    worker.run_delay = Seconds{0};
    stats.workers.assign(static_cast<std::size_t>(std::max(workers, 1)), worker);
    summary_.run.allowed_cores = 8;
    summary_.run.loader = {{"num_workers", workers}, {"persistent_workers", false}};
  }

  Finding found(std::string_view id) const {
    const RuleOutcome outcome = decide(id);
    EXPECT_TRUE(std::holds_alternative<Finding>(outcome)) << skip_reason(outcome);
    return std::holds_alternative<Finding>(outcome) ? std::get<Finding>(outcome) : Finding{};
  }
  Fix fix_of(std::string_view id) const {
    const Finding finding = found(id);
    return finding.fixes.empty() ? Fix{} : finding.fixes.front();
  }
};

TEST_F(TorchSettingsTest, TheHeaderOfAJournalSaysWhoTrains) {
  RunSummary summary;
  summary.add(entry_of({{"kind", "journal"}, {"trainer", "torch"}}));
  EXPECT_EQ(summary.trained_by, TrainedBy::torch);

  summary.add(entry_of({{"kind", "journal"}}));
  EXPECT_EQ(summary.trained_by, TrainedBy::qanat);
}

TEST_F(TorchSettingsTest, LoadingInTheMainProcessIsFixedByWorkers) {
  load(0, 5);

  const Fix fix = fix_of("DL005");

  EXPECT_EQ(fix.key, "num_workers");
  EXPECT_EQ(fix.value, "1");  // 5 s for 60 batches, a step of 0.1 s without waiting
  EXPECT_EQ(fix.trained_by, TrainedBy::torch);
}

TEST_F(TorchSettingsTest, TooFewWorkersAreNamedAsTheArgument) {
  load(1, 9.9);
  summary_.pipeline->process = ProcessUsage{.cpu = Seconds{15}};

  const Fix fix = fix_of("DL002");

  EXPECT_EQ(fix.key, "num_workers");
  EXPECT_EQ(fix.value, "2");
}

TEST_F(TorchSettingsTest, AShallowBufferIsAPrefetchFactor) {
  load(2, 5);
  wait_for_data(0.01);
  for (int i = 0; i < 60; ++i) {
    summary_.pipeline->row_times.add(Seconds{i % 3 == 0 ? 0.28 : 0.05});
  }

  EXPECT_EQ(fix_of("DL005").key, "prefetch_factor");
}

TEST_F(TorchSettingsTest, WorkersThatEveryEpochStartsArePersistentThen) {
  load(2, 5);
  wait_for_data(0);
  for (std::size_t i = 0; i < summary_.steps.size(); ++i) {
    summary_.steps[i].epoch = static_cast<std::int64_t>(i / 15);
    summary_.steps[i].batch = static_cast<std::int64_t>(i % 15);
    summary_.steps[i].phases.wait = Seconds{i % 15 == 0 ? 1.0 : 0.0};
  }

  EXPECT_EQ(fix_of("DL010").key, "persistent_workers");
  EXPECT_EQ(fix_of("DL010").value, "True");
}

TEST_F(TorchSettingsTest, NoKeyOfQanatIsLeft) {
  for (StepRecord& step : summary_.steps) {
    step.phases.checkpoint = Seconds{0.05};
  }

  const Finding finding = found("CMP007");

  ASSERT_EQ(finding.fixes.size(), 1U);
  EXPECT_FALSE(finding.fixes.front().is_setting());
  EXPECT_EQ(english(finding.fixes.front().action),
            "save and validate less often, or save in a thread");
}

TEST_F(TorchSettingsTest, WhatIsUnknownIsSkipped) {
  load(2, 9.9);
  for (StepRecord& step : summary_.steps) {
    step.padded_frames = 0;
    step.frames = 0;
  }

  EXPECT_TRUE(is_skipped(decide("DL007")));
  EXPECT_TRUE(is_skipped(decide("IO005")));
  EXPECT_TRUE(is_skipped(decide("DL009")));
  EXPECT_TRUE(is_skipped(decide("DL012")));
}

}  // namespace
}  // namespace qanat
