// Traces a run while it runs: hears of its events and of every row its loader fills, and writes
// the trace when it is over. On a thread of its own; nothing waits for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "pipeline/row_source.h"
#include "telemetry/background_queue.h"
#include "telemetry/run_tracer.h"
#include "telemetry/timed_event.h"

namespace qanat {

// Thread-safe, but for finish(). The destructor waits for what has come, and writes nothing.
class TraceSink final : public EventSink {
 public:
  explicit TraceSink(const TraceOptions& options);

  void record(const JournalEvent& event) override { queue_.offer(TimedEvent{.event = event}); }
  void add(RowSpan row) { queue_.offer(std::move(row)); }

  struct Finished {
    std::int64_t steps = 0;
    std::int64_t left_out = 0;                        // of the middle, for the budget
    std::optional<Message> complaint = std::nullopt;  // what is missing besides
  };
  // Works off what has come and writes the file. Throws Error when it cannot be written.
  Finished finish(const std::filesystem::path& path);

 private:
  using Item = std::variant<TimedEvent, RowSpan>;
  static constexpr std::size_t kCapacity = 16384;

  void take(const TimedEvent& timed);
  void take(const RowSpan& row);

  RunTracer tracer_;
  Clock::time_point session_ = Clock::now();
  BackgroundQueue<Item> queue_;  // last: uses the others
};

}  // namespace qanat
