#include "metrics/pipeline_record.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

PipelineStats some_stats() {
  PipelineStats stats;
  stats.age = Seconds{12.5};
  stats.decode.done = 40;
  stats.decode.busy = Seconds{3.25};
  stats.workers = {{.rows = 30, .busy = Seconds{9}, .blocked = Seconds{1}},
                   {.rows = 10, .busy = Seconds{2}, .parked = Seconds{10}}};
  stats.active_workers = 1;
  stats.ready.capacity = 8;
  stats.ready.occupancy = {.empty = Seconds{1}, .partial = Seconds{2}, .full = Seconds{9.5}};
  stats.ready.pop_wait.add(Seconds{0.5});
  stats.window.limit = 12;
  stats.window.budget = mebibytes(64);
  stats.frames = FrameCount{900};
  stats.padded_frames = FrameCount{1000};
  stats.workers[0].cpu = Seconds{7};
  stats.workers[0].run_delay = Seconds{0.25};
  stats.workers[0].lock_wait = Seconds{0.5};
  stats.row_times.add(Seconds{0.001});
  stats.row_times.add(Seconds{0.2});
  stats.slowest = {{.file = "wavs/long.wav", .time = Seconds{0.2}, .times = 3}};
  stats.process = ProcessUsage{.cpu = Seconds{8}, .major_faults = 2, .read = Bytes{4096}};
  stats.ring = RingUse{.slots = 3, .ready = {.full = Seconds{3}}};
  stats.devices = {{.role = "model", .name = "virtual:0", .busy = Seconds{11}}};
  return stats;
}

nlohmann::json line_of(const PipelineStats& stats) {
  Event event = to_event(stats);
  event.fields["kind"] = event.kind;
  return event.fields;
}

TEST(PipelineRecordTest, WhatIsWrittenIsReadBack) {
  const nlohmann::json line = line_of(some_stats());

  const Result<PipelineStats> back = to_pipeline_stats(line);

  ASSERT_TRUE(back.ok());
  EXPECT_EQ(line_of(back.value()), line);
  EXPECT_EQ(back.value().workers[0].busy, Seconds{9});
  EXPECT_EQ(back.value().ready.occupancy.full, Seconds{9.5});
  EXPECT_DOUBLE_EQ(back.value().padding_share(), 0.1);
}

TEST(PipelineRecordTest, WhatIsUnknownIsAbsentAndStaysSo) {
  nlohmann::json line = line_of(some_stats());
  EXPECT_FALSE(line["workers"][1].contains("cpu"));
  EXPECT_FALSE(line["process"].contains("from_storage"));

  for (const char* name : {"row_times", "slowest", "process", "ring", "devices"}) {
    line.erase(name);
  }
  line["workers"][0].erase("run_delay");
  const PipelineStats back = to_pipeline_stats(line).value();

  EXPECT_FALSE(back.process || back.ring || back.workers[0].run_delay || back.workers[1].cpu);
  EXPECT_EQ(back.workers[0].cpu, Seconds{7});
  EXPECT_EQ(back.row_times.total(), 0);
}

TEST(PipelineRecordTest, ALineThatLacksAFieldIsRefused) {
  nlohmann::json line = line_of(some_stats());
  line["ready"].erase("empty");

  EXPECT_FALSE(to_pipeline_stats(line).ok());
  EXPECT_FALSE(to_pipeline_stats({{"kind", "step"}}).ok());
  EXPECT_FALSE(to_pipeline_stats(nlohmann::json::array()).ok());
}

}  // namespace
}  // namespace qanat
