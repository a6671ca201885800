#include "diagnose/wait_cause.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"
#include "locale/translator.h"

namespace qanat {
namespace {

// A run of 100 steps of 100 ms of work that waits 40 ms in each, on four cores; its two workers
// fill rows of 2 ms all the time. A test says what keeps them busy.
class WaitCauseTest : public testing::Test {
 protected:
  WaitCauseTest() {
    summary_.run.allowed_cores = 4;
    for (int i = 0; i < 100; ++i) {
      const int frames = 400 + 20 * (i % 9);
      summary_.add(
          StepRecord{.step = i,
                     .batch = i,
                     .rows = 16,
                     .padded_frames = frames,
                     .frames = std::int64_t{16} * frames,
                     .phases = {.wait = Seconds{0.04}, .forward = Seconds(0.1 * frames / 480)}});
      summary_.slots.push_back({.work = Seconds{0.28}});
    }
    PipelineStats stats;
    stats.age = Seconds{14};
    stats.batches = 100;
    stats.active_workers = 2;
    stats.window.limit = 8;
    for (int i = 0; i < 3500; ++i) {
      stats.row_times.add(Seconds{0.002});
    }
    const WorkerStats worker{
        .rows = 1750, .busy = Seconds{14}, .cpu = Seconds{13.5}, .run_delay = Seconds{0.2}};
    stats.workers = {worker, worker};
    stats.process = ProcessUsage{.cpu = Seconds{28}};  // two cores of four
    stats.ring = RingUse{.slots = 3};
    summary_.pipeline = stats;
  }

  PipelineStats& loader() { return *summary_.pipeline; }

  WaitCause cause() const {
    const RunMeasures measures = measure_run(summary_);
    return find_wait_cause({.summary = summary_, .measures = measures});
  }

  // The rule that a user sees first.
  std::string first_finding() const {
    const Diagnosis diagnosis = diagnose_run(summary_);
    return diagnosis.findings.empty() ? "" : diagnosis.findings.front().id;
  }

  void each_worker(const std::function<void(WorkerStats&)>& change) {
    for (WorkerStats& worker : loader().workers) {
      change(worker);
    }
  }

  // Others on three of four cores, for ten seconds; the loader's threads wait for one.
  void share_the_machine(double queued) {
    HostSummary host{.first_at = 0, .last_at = 10, .samples = 5};
    host.setup.online_cores = 4.0;
    visit_counters(host.first, [](const char*, Reading<double>& reading) { reading = 0.0; });
    visit_counters(host.last, [](const char*, Reading<double>& reading) { reading = 0.0; });
    host.last.machine_busy = 30.0;
    host.first.threads = std::vector<ThreadClock>{};
    host.last.threads =
        std::vector<ThreadClock>{{.name = "load", .threads = 2, .running = 4, .waiting = queued}};
    summary_.host = host;
  }

  RunSummary summary_;
};

TEST_F(WaitCauseTest, WorkersThatComputeBesideIdleCoresAreTooFew) {
  EXPECT_EQ(cause(), WaitCause::few_workers);
  EXPECT_EQ(first_finding(), "DL002");
}

TEST_F(WaitCauseTest, WorkersThatComputeOnAllCoresAreAtTheLimit) {
  loader().process->cpu = Seconds{55};

  EXPECT_EQ(cause(), WaitCause::computing);
  EXPECT_EQ(first_finding(), "DL003");
}

TEST_F(WaitCauseTest, WorkersThatNeitherComputeNorWaitForCoresWaitForStorage) {
  each_worker([](WorkerStats& worker) { worker.cpu = Seconds{2}; });

  EXPECT_EQ(cause(), WaitCause::storage);
  EXPECT_EQ(first_finding(), "DL001");
}

TEST_F(WaitCauseTest, WorkersThatWaitForEachOtherAreAConvoy) {
  each_worker([](WorkerStats& worker) {
    worker.cpu = Seconds{3};
    worker.lock_wait = Seconds{9};
  });

  EXPECT_EQ(cause(), WaitCause::lock);
  EXPECT_EQ(first_finding(), "DL004");
}

TEST_F(WaitCauseTest, ReadyWorkersWithoutACoreHaveNeighboursOrAreTooMany) {
  each_worker([](WorkerStats& worker) {
    worker.cpu = Seconds{6};
    worker.run_delay = Seconds{7};
  });

  EXPECT_EQ(cause(), WaitCause::neighbours);
  EXPECT_EQ(first_finding(), "DL013");
  loader().process->cpu = Seconds{54};  // the process itself fills all four cores
  EXPECT_EQ(cause(), WaitCause::oversubscribed);
  EXPECT_EQ(first_finding(), "DL006");
}

TEST_F(WaitCauseTest, PagesThatComeFromStorageAreWantOfMemory) {
  each_worker([](WorkerStats& worker) {
    worker.cpu = Seconds{2};
    worker.major_faults = 20'000;
  });

  EXPECT_EQ(cause(), WaitCause::memory);
}

TEST_F(WaitCauseTest, AFewRowsThatTakeMostOfTheTimeAreStragglers) {
  for (int i = 0; i < 60; ++i) {
    loader().row_times.add(Seconds{0.3});
  }
  loader().slowest = {{.file = "long.flac", .time = Seconds{0.3}}};

  EXPECT_EQ(cause(), WaitCause::stragglers);
  EXPECT_EQ(first_finding(), "DL011");
  EXPECT_NE(Translator().tr(diagnose_run(summary_).findings.front().title).find("long.flac"),
            std::string::npos);
}

TEST_F(WaitCauseTest, WorkersThatAreHeldBackNeedADeeperBuffer) {
  each_worker([](WorkerStats& worker) {
    worker.busy = Seconds{8};
    worker.blocked = Seconds{6};
  });

  EXPECT_EQ(cause(), WaitCause::shallow_buffer);
  EXPECT_EQ(first_finding(), "DL005");
}

TEST_F(WaitCauseTest, BatchesThatAreHandedOverLateForWantOfACoreAreTheNeighboursDoing) {
  each_worker([](WorkerStats& worker) {
    worker.busy = Seconds{3};
    worker.cpu = Seconds{2.8};
    worker.blocked = Seconds{11};
  });
  for (StepRecord& step : summary_.steps) {
    step.phases.wait = Seconds{0.005};
  }
  share_the_machine(/*queued=*/0.4);
  summary_.host->last.machine_busy = 0.0;
  EXPECT_EQ(cause(), WaitCause::shallow_buffer);  // nobody else is there

  share_the_machine(/*queued=*/0.4);

  EXPECT_EQ(cause(), WaitCause::neighbours);
  EXPECT_NE(first_finding(), "DL005");
  for (StepRecord& step : summary_.steps) {
    step.phases.wait = Seconds{0.04};  // too long for the cores to explain
  }
  EXPECT_EQ(cause(), WaitCause::shallow_buffer);
}

TEST_F(WaitCauseTest, UnevenWorkBesideOtherProgramsStillNeedsADeeperBuffer) {
  each_worker([](WorkerStats& worker) {
    worker.busy = Seconds{11};  // most of it asleep, and ready without a core now and then
    worker.cpu = Seconds{0.1};
    worker.run_delay = Seconds{1.7};
    worker.blocked = Seconds{3};
  });
  for (StepRecord& step : summary_.steps) {
    step.phases.wait = Seconds{0.02};
  }
  share_the_machine(/*queued=*/3);

  EXPECT_EQ(cause(), WaitCause::shallow_buffer);
  EXPECT_EQ(first_finding(), "DL005");
  each_worker([](WorkerStats& worker) {
    worker.busy = Seconds{5};  // twice as much could be had of them
    worker.blocked = Seconds{9};
  });
  EXPECT_EQ(cause(), WaitCause::neighbours);
}

// Files answer late, and other programs hold up the trainer: what the loader cannot deliver no free
// core makes faster, and no step is shorter than what its threads ran.
TEST_F(WaitCauseTest, SlowStorageComesBeforeTheNeighboursThatItHides) {
  each_worker([](WorkerStats& worker) {
    worker.cpu = Seconds{1};
    worker.run_delay = Seconds{0.5};
  });
  share_the_machine(/*queued=*/0.5);
  std::vector<ThreadClock> threads = *summary_.host->last.threads;
  threads.push_back({.name = "train", .threads = 2, .running = 8, .waiting = 6});
  summary_.host->last.threads = threads;

  const Diagnosis diagnosis = diagnose_run(summary_);

  ASSERT_FALSE(diagnosis.findings.empty());
  EXPECT_EQ(diagnosis.findings.front().id, "DL001");
  EXPECT_EQ(diagnosis.verdict, VerdictKind::input_bound);
  const auto others = std::ranges::find(diagnosis.findings, "HOST005", &Finding::id);
  ASSERT_NE(others, diagnosis.findings.end());
  const double step = diagnosis.measures.mean_step;
  EXPECT_LT(others->gain.seconds_saved(), 0.1 * step);   // alone
  EXPECT_GT(others->gain.step_if_fixed, 0.4 * step);     // its threads ran that long
  EXPECT_GT(others->marginal_speedup.value_or(1), 1.1);  // once files come sooner
}

// Padding costs the device time that it would spend waiting for too few workers.
TEST_F(WaitCauseTest, WhatTheDeviceSavesIsReplayedAgainstTheLoader) {
  for (StepRecord& step : summary_.steps) {
    step.frames = static_cast<std::int64_t>(0.7 * 16 * step.padded_frames);
  }
  summary_.run.bucket_edges = 4;
  summary_.padding_by_edges = {{"4", 0.3}, {"16", 0.05}};

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.findings.front().id, "DL002");
  const auto padding = std::ranges::find(diagnosis.findings, "DL007", &Finding::id);
  ASSERT_NE(padding, diagnosis.findings.end());
  EXPECT_LT(padding->gain.share_saved(), 0.02);
  EXPECT_GT(*padding->marginal_speedup, 1.05);
  EXPECT_LE(*padding->fixes.front().predicted_step, diagnosis.measures.mean_step);
}

TEST_F(WaitCauseTest, WaitingAtTheStartOfEpochsIsThat) {
  for (StepRecord& step : summary_.steps) {
    step.epoch = step.step / 25;
    step.batch = step.step % 25;
    step.phases.wait = Seconds(step.batch == 0 ? 1.0 : 0.0);
  }

  EXPECT_EQ(cause(), WaitCause::epoch_start);
}

TEST_F(WaitCauseTest, ADeviceThatDoesNotWaitHasNoCause) {
  for (StepRecord& step : summary_.steps) {
    step.phases.wait = Seconds{0.0005};
  }

  EXPECT_EQ(cause(), WaitCause::none);
}

TEST_F(WaitCauseTest, ExactlyOneRuleClaimsTheWaiting) {
  const Diagnosis diagnosis = diagnose_run(summary_);

  const auto claims = std::ranges::count_if(diagnosis.findings, [](const Finding& finding) {
    return finding.part == BreakdownPart::wait && finding.severity != FindingSeverity::info;
  });
  EXPECT_EQ(claims, 1);
}

TEST_F(WaitCauseTest, ThePredictionIsWhatTheRecordedTimesGiveWithMoreWorkers) {
  const Diagnosis diagnosis = diagnose_run(summary_);

  const Finding& finding = diagnosis.findings.front();
  ASSERT_EQ(finding.fixes.front().key, "data.num_workers");
  EXPECT_EQ(finding.fixes.front().value, "3");  // 0.28 / 3 < 0.1
  EXPECT_NEAR(*finding.fixes.front().predicted_step, 0.1, 0.002);
  EXPECT_EQ(finding.gain.method, GainMethod::replay);
}

TEST_F(WaitCauseTest, ASymptomIsExplainedByItsCause) {
  for (std::size_t i = 0; i < summary_.steps.size(); i += 7) {
    summary_.steps[i].phases.wait = Seconds{0.5};
  }

  const Diagnosis diagnosis = diagnose_run(summary_);

  EXPECT_EQ(diagnosis.findings.front().part, BreakdownPart::wait);
  EXPECT_TRUE(diagnosis.findings.front().explained_by.empty());
  for (std::size_t i = 1; i < diagnosis.findings.size(); ++i) {
    if (diagnosis.findings[i].part == BreakdownPart::wait) {
      EXPECT_EQ(diagnosis.findings[i].severity, FindingSeverity::info) << diagnosis.findings[i].id;
    }
  }
}

}  // namespace
}  // namespace qanat
