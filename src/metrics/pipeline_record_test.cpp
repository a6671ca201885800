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

TEST(PipelineRecordTest, ALineThatLacksAFieldIsRefused) {
  nlohmann::json line = line_of(some_stats());
  line["ready"].erase("empty");

  EXPECT_FALSE(to_pipeline_stats(line).ok());
  EXPECT_FALSE(to_pipeline_stats({{"kind", "step"}}).ok());
  EXPECT_FALSE(to_pipeline_stats(nlohmann::json::array()).ok());
}

}  // namespace
}  // namespace qanat
