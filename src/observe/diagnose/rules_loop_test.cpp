// Rules about loops that are not ours.
#include <string>

#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"
#include "diagnose/gain.h"
#include "diagnose/loop_use.h"
#include "diagnose/rules_testing.h"
#include "diagnose/wait_cause.h"
#include "diagnose/what_if.h"

namespace qanat {
namespace {

// A hundred steps of 60 ms of work in a PyTorch loop with a DataLoader of two workers, whose rows
// take 2 ms; the loop waits 20 ms in each.
class LoopRulesTest : public testing::Test {
 protected:
  LoopRulesTest() {
    summary_.trained_by = TrainedBy::torch;
    summary_.run.allowed_cores = 4;
    summary_.run.loader = {{"num_workers", 2}, {"in_order", true}};
    for (int i = 0; i < 100; ++i) {
      summary_.add(StepRecord{
          .step = i, .batch = i, .rows = 4, .phases = {.wait = kWait, .forward = Seconds{0.06}}});
    }
    PipelineStats stats;
    stats.age = Seconds{8};
    stats.batches = 100;
    stats.rows = 400;
    stats.active_workers = 2;
    stats.window.limit = 4;
    for (int i = 0; i < 400; ++i) {
      stats.row_times.add(Seconds{0.002});
    }
    stats.workers = {worker(0.002), worker(0.002)};
    summary_.pipeline = stats;
    summary_.loop = LoopSample{.waits = {{"wait:queue", 40}}, .samples = 160};
  }

  static WorkerStats worker(double row, std::int64_t rows = 200) {
    const Seconds busy{row * static_cast<double>(rows)};
    return {.rows = rows,
            .busy = busy,
            .blocked = std::max(Seconds{8} - busy, Seconds{0}),
            .cpu = Seconds{0},
            .run_delay = Seconds{0}};
  }

  std::string first() const {
    const Diagnosis diagnosis = diagnose_run(summary_);
    return diagnosis.findings.empty() ? "" : diagnosis.findings.front().id;
  }
  const Finding& finding() {
    diagnosis_ = diagnose_run(summary_);
    return diagnosis_.findings.front();
  }
  std::string title() { return in_english(finding().title); }
  static std::string in_english(const Message& message) { return Translator().tr(message); }
  void no_waits() {
    for (StepRecord& step : summary_.steps) {
      step.phases.wait = Seconds{0};
    }
  }

  static constexpr Seconds kWait{0.02};
  RunSummary summary_;
  Diagnosis diagnosis_;
};

TEST_F(LoopRulesTest, TimeBehindTheUpdateIsNamedByItsLine) {
  no_waits();
  for (StepRecord& step : summary_.steps) {
    step.phases.residual = Seconds{0.015};
  }
  summary_.loop->places = {{"residual:after_update", 1.5}};
  summary_.loop->lines = {{"model", "train.py:9", "forward", 90},
                          {"residual:after_update", "train.py:31", "write_metrics", 30},
                          {"residual:after_update", "train.py:32", "write_metrics", 10}};

  EXPECT_EQ(first(), "CMP010");
  EXPECT_NE(title().find("write_metrics"), std::string::npos) << title();
  EXPECT_NE(title().find("train.py:31"), std::string::npos) << title();
  EXPECT_NEAR(finding().gain.step_if_fixed, 0.06, 0.001);
  EXPECT_EQ(diagnosis_.verdict, VerdictKind::host_overhead);
}

TEST_F(LoopRulesTest, TimeWithoutAPlaceIsUnaccountedFor) {
  no_waits();
  for (StepRecord& step : summary_.steps) {
    step.phases.residual = Seconds{0.015};
  }
  EXPECT_EQ(diagnose_run(summary_).verdict, VerdictKind::incomplete);
}

TEST_F(LoopRulesTest, AWaitThatNothingExplainsIsWithheld) {
  EXPECT_EQ(first(), "DL017");
  EXPECT_NE(title().find("25 %"), std::string::npos) << title();
  EXPECT_EQ(finding().gain.speedup, 1);
  EXPECT_EQ(diagnosis_.verdict, VerdictKind::input_bound);
  EXPECT_EQ(diagnosis_.recoverable_share, 0);
  for (const Finding& one : diagnosis_.findings) {
    EXPECT_NE(one.id, "DL005");
  }
}

TEST_F(LoopRulesTest, AWaitThatNothingExplainsWarnsOnAQuietMachineOnly) {
  EXPECT_EQ(finding().severity, FindingSeverity::warn);

  HostSummary host{.first_at = 0, .last_at = 10, .samples = 5};
  host.setup = {.online_cores = 4.0, .affinity_cores = 4.0};
  visit_counters(host.first, [](const char*, Reading<double>& reading) { reading = 0.0; });
  visit_counters(host.last, [](const char*, Reading<double>& reading) { reading = 0.0; });
  host.last.machine_busy = 30.0;  // two cores of others
  host.last.process_cpu = 10.0;
  summary_.host = host;

  ASSERT_EQ(finding().id, "DL017");
  EXPECT_EQ(finding().severity, FindingSeverity::info);
}

TEST_F(LoopRulesTest, AShortWaitThatNothingExplainsIsNoWarning) {
  for (StepRecord& step : summary_.steps) {
    step.phases.wait = Seconds{0.003};
  }
  ASSERT_EQ(finding().id, "DL017");
  EXPECT_EQ(finding().severity, FindingSeverity::info);
}

TEST_F(LoopRulesTest, WithoutWorkersTheLoopFillsItsBatches) {
  summary_.pipeline->active_workers = 0;
  summary_.pipeline->window.limit = 0;
  summary_.pipeline->workers = {worker(0.005, 400)};
  summary_.pipeline->row_times = {};
  const RunMeasures measures = measure_run(summary_);
  const RuleInput input{.summary = summary_, .measures = measures};
  EXPECT_NEAR(*predict_step(input, {.workers = 1}), 0.06, 0.001);  // 20 ms beside 60
}

TEST_F(LoopRulesTest, TimeBeforeTheUpdateIsNotTheOptimizers) {
  no_waits();
  for (StepRecord& step : summary_.steps) {
    step.phases.optimizer = Seconds{0.03};
  }
  summary_.loop->places = {{"optimizer:before_update", 2.7}};
  summary_.loop->lines = {{"optimizer:before_update", "train.py:40", "clip_gradients", 50}};

  EXPECT_EQ(first(), "CMP010");
  for (const Finding& one : diagnose_run(summary_).findings) {
    EXPECT_NE(one.id, "CMP006");
  }
}

TEST_F(LoopRulesTest, WithoutLinesNothingIsSaid) {
  no_waits();
  summary_.loop.reset();
  EXPECT_EQ(first(), "");
}

TEST_F(LoopRulesTest, OneSlowWorkerSetsThePaceOfAll) {
  summary_.pipeline->workers = {worker(0.038), worker(0.002)};
  const UnequalWorkers found = *unequal_workers(summary_);
  EXPECT_EQ(found.worker, 0);
  EXPECT_NEAR(found.times, 19, 0.1);
  EXPECT_NEAR(step_in_turn(found, 0.06), 0.076, 0.001);  // every other batch is that worker's
  EXPECT_NEAR(step_out_of_turn(found, 0.001), 0.0076, 0.0002);

  EXPECT_EQ(first(), "DL014");
  EXPECT_TRUE(is_sharp(finding().gain)) << "what the others need is measured, not replayed";
  ASSERT_EQ(finding().fixes.size(), 2);
  EXPECT_EQ(finding().fixes[1].key, "in_order");
  EXPECT_NEAR(*finding().fixes[1].predicted_step, 0.06, 0.001);
}

TEST_F(LoopRulesTest, WorkersThatAreAllSlowAreEqual) {
  summary_.pipeline->workers = {worker(0.039), worker(0.036)};
  EXPECT_FALSE(unequal_workers(summary_));
  EXPECT_NE(first(), "DL014");
}

// Beside other programs the loop is late, too: one that is far slower has rests then.
TEST_F(LoopRulesTest, AFarSlowerWorkerIsNamedBesideOtherPrograms) {
  summary_.pipeline->workers = {worker(0.031), worker(0.004)};
  EXPECT_EQ(first(), "DL014");
  summary_.pipeline->workers = {worker(0.031), worker(0.012)};
  EXPECT_NE(first(), "DL014");
}

// Padding to the longest row of all: every batch has one length, and says nothing of what it costs.
TEST_F(LoopRulesTest, OneLengthForAllBatchesOfAnotherTrainerIsPadding) {
  no_waits();
  for (StepRecord& step : summary_.steps) {
    step.padded_frames = 200;
    step.frames = 240;
  }
  EXPECT_EQ(first(), "DL007");
  for (const int frames : {780, 0}) {  // hardly any, or nobody knows
    for (StepRecord& step : summary_.steps) {
      step.frames = frames;
    }
    EXPECT_NE(first(), "DL007") << frames;
  }
}

TEST_F(LoopRulesTest, AWorkerThatHasAllRowsIsNamed) {
  summary_.pipeline->workers = {worker(0, 0), worker(0.0195, 400)};
  EXPECT_EQ(first(), "DL014");
  EXPECT_NE(title().find("has all the rows"), std::string::npos) << title();
}

TEST_F(LoopRulesTest, ASamplerIsToldFromWorkers) {
  summary_.loop->waits = {{"wait:index", 40}, {"wait:queue", 10}};
  summary_.loop->lines = {{"wait:index", "sampler.py:7", "__iter__", 40}};
  EXPECT_EQ(first(), "DL016");
  EXPECT_NE(title().find("sampler.py:7"), std::string::npos) << title();

  summary_.loop->waits = {{"wait:receive", 40}};
  EXPECT_EQ(first(), "DL016");
  summary_.loop->waits = {{"wait:receive", 8}, {"wait:queue", 40}};
  EXPECT_NE(first(), "DL016");
}

// Samples find a thread that has no core where it lost the last one, which is no work of its own.
TEST_F(LoopRulesTest, AThreadWithoutACoreIsNotAtWork) {
  summary_.loop->waits = {{"wait:receive", 40}};
  summary_.pipeline->ready.pop_wait.total = Seconds{2};
  summary_.loop->places = {{"wait:without_core", 0.4}};
  EXPECT_EQ(first(), "DL016");
  summary_.loop->places = {{"wait:without_core", 1.5}};
  EXPECT_NE(first(), "DL016");
  const RunMeasures measures = measure_run(summary_);
  EXPECT_EQ(find_wait_cause({.summary = summary_, .measures = measures}), WaitCause::neighbours);
}

TEST_F(LoopRulesTest, DataWithoutALoaderIsSaidAndNotGuessed) {
  no_waits();
  summary_.pipeline.reset();
  summary_.run.loader.reset();
  summary_.loop->places = {{"forward:no_loader", 5}};
  EXPECT_EQ(first(), "");
  summary_.loop->lines = {{"model", "train.py:9", "forward", 80},
                          {"residual:after_update", "data.py:3", "get_batch", 60}};
  EXPECT_EQ(first(), "DL015");
  EXPECT_NE(title().find("get_batch"), std::string::npos) << title();
}

TEST_F(LoopRulesTest, AReadThatHungOnceIsNoSlowFile) {
  summary_.pipeline->row_times = {};
  for (int i = 0; i < 388; ++i) {
    summary_.pipeline->row_times.add(Seconds{0.001});
  }
  for (int i = 0; i < 12; ++i) {
    summary_.pipeline->row_times.add(Seconds{0.5});
  }
  summary_.pipeline->workers = {worker(0.01), worker(0.01)};
  EXPECT_EQ(first(), "DL011");
  summary_.pipeline->slow_rows = {.read_again = 9, .slow_again = 8};
  EXPECT_EQ(first(), "DL011");
  summary_.pipeline->slow_rows = {.read_again = 9, .slow_again = 0};
  EXPECT_EQ(first(), "DL005");
}

}  // namespace
}  // namespace qanat
