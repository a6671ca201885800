#include "telemetry/trace_sink.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

std::filesystem::path path_of(const std::string& name) {
  return std::filesystem::path(testing::TempDir()) / name;
}

TEST(TraceSinkTest, WritesEventsAndRowsOnOneClock) {
  TraceSink sink({.format = TraceFormat::json});
  sink.record(SessionStart{});
  const Clock::time_point now = Clock::now();
  sink.add({.worker = 2,
            .batch = {.epoch = 0, .index = 4},
            .utterance = "clip-7",
            .begin = now + std::chrono::seconds(1),
            .end = now + std::chrono::seconds(3)});

  const TraceSink::Finished finished = sink.finish(path_of("rows.json"));

  EXPECT_EQ(finished.complaint, std::nullopt);
  const auto trace = nlohmann::json::parse(read_text_file(path_of("rows.json")).value());
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.value("name", "") == "clip-7") {
      EXPECT_NEAR(event.at("ts").get<double>(), 1e6, 0.5e6);
      EXPECT_NEAR(event.at("dur").get<double>(), 2e6, 1);
      return;
    }
  }
  FAIL() << "the row is not in the trace";
}

TEST(TraceSinkTest, AFileThatCannotBeWrittenIsNamed) {
  TraceSink sink({});

  EXPECT_THROW(sink.finish("/proc/nowhere/trace"), Error);
}

}  // namespace
}  // namespace qanat
