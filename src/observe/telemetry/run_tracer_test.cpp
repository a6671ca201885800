#include "telemetry/run_tracer.h"

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

using testing::Contains;
using testing::SizeIs;

JournalEntry step_entry(std::int64_t step, double t) {
  StepRecord record{.step = step,
                    .batch = step,
                    .losses = {.total = 2.0},
                    .phases = {.wait = Seconds{0.010},
                               .forward = Seconds{0.050},
                               .backward = Seconds{0.030},
                               .optimizer = Seconds{0.010}}};
  return {.at = Seconds{t}, .event = record};
}

JournalEntry slot_entry(std::int64_t batch, double begin) {
  return {.at = Seconds{begin + 1},
          .event = SlotRecord{.batch = batch,
                              .slot = static_cast<int>(batch % 3),
                              .load = StageTime{begin, begin + 0.001},
                              .copy = StageTime{begin + 0.001, begin + 0.002},
                              .train = StageTime{begin + 0.01, begin + 0.09}}};
}

// Through the JSON form, which is easy to look into; tests/integration decodes the other one.
class RunTracerTest : public testing::Test {
 protected:
  nlohmann::json events() {
    const std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) /
        (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".json");
    tracer_.write(path);
    return nlohmann::json::parse(read_text_file(path).value()).at("traceEvents");
  }
  static std::vector<nlohmann::json> named(const nlohmann::json& events, const std::string& name) {
    std::vector<nlohmann::json> found;
    for (const nlohmann::json& event : events) {
      if (event.value("name", "") == name) {
        found.push_back(event);
      }
    }
    return found;
  }

  RunTracer tracer_{{.format = TraceFormat::json}};
};

// A journal may have been edited, or be hostile: every sum and every loop over them ends.
TEST_F(RunTracerTest, NumbersThatNoRunHasAreTraced) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr int kMaxInt = std::numeric_limits<int>::max();
  tracer_.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));

  for (const std::int64_t batch : {kMax, kMax - 1, -kMax - 1, std::int64_t{0}}) {
    for (const int batches : {kMaxInt, -kMaxInt, 1}) {
      tracer_.add({.at = Seconds{1e300},
                   .event = StepRecord{.step = kMax,
                                       .epoch = -kMax,
                                       .batch = batch,
                                       .batches = batches,
                                       .phases = {.wait = Seconds{1e300},
                                                  .forward = Seconds{-1e300},
                                                  .backward = Seconds{1e300}}}});
      tracer_.add({.at = Seconds{1},
                   .event = SlotRecord{.epoch = -kMax,
                                       .batch = batch,
                                       .slot = batches,
                                       .load = StageTime{1e300, -1e300},
                                       .copy = StageTime{-1e300, 1e300},
                                       .train = StageTime{1e300, 1e300}}});
    }
  }

  EXPECT_THAT(named(events(), fmt::format("step {}", kMax)), SizeIs(12));
}

TEST_F(RunTracerTest, AStepStandsWhereItsBatchWasRead) {
  tracer_.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  tracer_.add(entry_of({{"kind", "ring_start"}, {"t", 5.0}}));
  tracer_.add(step_entry(0, 7.0));  // before the word of its batch
  tracer_.add(slot_entry(0, 1.0));

  const nlohmann::json all = events();

  const std::vector<nlohmann::json> step = named(all, "step 0");
  ASSERT_THAT(step, SizeIs(1));
  EXPECT_NEAR(step[0].at("ts").get<double>(), 6.0e6, 1);  // 5 + 1 + 0.09 + 0.01 - 0.1
  EXPECT_NEAR(step[0].at("dur").get<double>(), 100'000, 1);
  const std::vector<nlohmann::json> backward = named(all, "backward");
  ASSERT_THAT(backward, SizeIs(1));
  EXPECT_NEAR(backward[0].at("ts").get<double>() + backward[0].at("dur").get<double>(),
              6.09e6,
              1);  // where the batch was read
  EXPECT_THAT(named(all, "loss"), SizeIs(1));
}

TEST_F(RunTracerTest, ArrowsLeadFromUtteranceToBatchToStep) {
  tracer_.add(entry_of({{"kind", "ring_start"}, {"t", 0.0}}));
  tracer_.add_row({.worker = 1,
                   .batch = 0,
                   .row = 0,
                   .utterance = "clip-1",
                   .begin = Seconds{0.1},
                   .end = Seconds{0.2}});
  tracer_.add_row({.worker = 0,
                   .batch = 0,
                   .row = 1,
                   .utterance = "clip-2",
                   .begin = Seconds{0.1},
                   .end = Seconds{0.3}});
  tracer_.add(slot_entry(0, 1.0));
  tracer_.add(step_entry(0, 2.0));

  std::map<std::string, std::string> ways;  // id: its phases in order
  for (const nlohmann::json& event : named(events(), "way of a batch")) {
    ways[event.at("id").get<std::string>()] += event.at("ph").get<std::string>();
  }

  std::vector<std::string> phases;
  phases.reserve(ways.size());
  for (const auto& [id, way] : ways) {
    phases.push_back(way);
  }
  EXPECT_THAT(phases, testing::UnorderedElementsAre("sf", "sf", "sf"));
}

TEST_F(RunTracerTest, SlicesOfATrackNeverOverlap) {
  tracer_.add(entry_of({{"kind", "ring_start"}, {"t", 0.0}}));
  tracer_.add(slot_entry(0, 1.0));
  tracer_.add(slot_entry(3, 1.05));  // the same slot, and its times say: too early

  std::map<int, double> end;
  for (const nlohmann::json& event : events()) {
    if (event.at("ph") == "X") {
      const int track = event.at("tid").get<int>();
      EXPECT_GE(event.at("ts").get<double>(), end[track]);
      end[track] = event.at("ts").get<double>() + event.at("dur").get<double>();
    }
  }
  EXPECT_THAT(end, SizeIs(2));  // feeder and slot
}

TEST_F(RunTracerTest, AResumedRunIsTracedFromItsNewestSession) {
  tracer_.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  tracer_.add(entry_of({{"kind", "autotune"}, {"t", 1.0}}));
  tracer_.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  tracer_.add(entry_of({{"kind", "start_gate"}, {"t", 1.0}, {"opened_by", "ready"}}));

  const nlohmann::json all = events();

  EXPECT_THAT(named(all, "autotune"), SizeIs(0));
  ASSERT_THAT(named(all, "start_gate"), SizeIs(1));
  EXPECT_EQ(named(all, "start_gate")[0].at("args").at("opened_by"), "ready");
}

TEST_F(RunTracerTest, WhatTookTimeEndsWhenItWasTold) {
  tracer_.add(entry_of({{"kind", "checkpoint"}, {"t", 3.0}, {"step", 500}, {"seconds", 1.0}}));

  const std::vector<nlohmann::json> saved = named(events(), "step 500");

  ASSERT_THAT(saved, SizeIs(1));
  EXPECT_NEAR(saved[0].at("ts").get<double>(), 2.0e6, 1);
}

TEST_F(RunTracerTest, OddLinesArePassedOver) {
  tracer_.add(entry_of(nlohmann::json::object()));
  tracer_.add(entry_of({{"kind", 3}, {"t", 1.0}}));
  tracer_.add(entry_of({{"kind", "slot"}, {"t", 1.0}, {"copy", {1, "two"}}, {"train", 7}}));

  EXPECT_EQ(tracer_.steps(), 0);
  EXPECT_NO_THROW(events());
}

TEST_F(RunTracerTest, AStepWhoseBatchIsNeverToldOfIsPutWhereItWasReported) {
  tracer_.add(step_entry(0, 2.0));

  const std::vector<nlohmann::json> step = named(events(), "step 0");

  ASSERT_THAT(step, SizeIs(1));
  EXPECT_NEAR(step[0].at("ts").get<double>(), 1.9e6, 1);
}

TEST(RunTracerBudgetTest, TheFileStaysWithinIt) {
  RunTracer tracer({.format = TraceFormat::perfetto, .budget = Bytes{20'000}});
  for (int i = 0; i < 2'000; ++i) {
    tracer.add(step_entry(i, i));
  }
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "budget.perfetto-trace";

  tracer.write(path);

  EXPECT_LE(std::filesystem::file_size(path), 21'000u);
  EXPECT_GT(tracer.left_out(), 1'000);
  EXPECT_EQ(tracer.steps(), 2'000);
}

TEST_F(RunTracerTest, TheLongestStepsOfALongRunAreKeptWhole) {
  RunTracer small({.format = TraceFormat::json, .budget = Bytes{400'000}});
  small.add(entry_of({{"kind", "journal"}, {"t", 0.0}}));
  small.add(entry_of({{"kind", "ring_start"}, {"t", 0.0}}));
  for (std::int64_t i = 0; i < 5000; ++i) {
    const double at = 0.2 * static_cast<double>(i);
    small.add_row({.worker = 0,
                   .epoch = 0,
                   .batch = i,
                   .row = 0,
                   .utterance = fmt::format("clip {}", i),
                   .begin = Seconds{at},
                   .end = Seconds{at + 0.05}});
    JournalEntry step = step_entry(i, at + 0.2);
    if (i % 1000 == 500) {
      std::get<StepRecord>(step.event).phases.wait = Seconds{0.07};
    }
    small.add(slot_entry(i, at));
    small.add(step);
  }
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "the longest steps.json";
  small.write(path);

  const nlohmann::json all = nlohmann::json::parse(read_text_file(path).value()).at("traceEvents");
  EXPECT_GT(small.left_out(), 0);
  EXPECT_LE(std::filesystem::file_size(path), 420'000U);
  for (const char* name : {"step 1500", "clip 1500", "step 2500", "clip 2500"}) {
    EXPECT_THAT(named(all, name), SizeIs(1)) << name;
  }
  EXPECT_THAT(named(all, "step 1501"), SizeIs(0));
}

}  // namespace
}  // namespace qanat
