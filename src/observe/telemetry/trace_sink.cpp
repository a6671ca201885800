#include "telemetry/trace_sink.h"

#include <fmt/format.h>

#include "locale/messages/training.h"

namespace qanat {

TraceSink::TraceSink(const TraceOptions& options)
    : tracer_(options),
      queue_("trace",
             kCapacity,
             {.take =
                  [this](const Item& item) {
                    std::visit([this](const auto& one) { take(one); }, item);
                  },
              .idle = nullptr}) {}

void TraceSink::take(const TimedEvent& timed) {
  if (std::holds_alternative<SessionStart>(timed.event)) {
    session_ = timed.at;
  }
  tracer_.add({.at = timed.at - session_, .event = timed.event});
}

void TraceSink::take(const RowSpan& row) {
  tracer_.add_row({.worker = row.worker,
                   .epoch = row.batch.epoch,
                   .batch = row.batch.index,
                   .row = row.row,
                   .utterance = row.utterance,
                   .begin = row.begin - session_,
                   .end = row.end - session_});
}

TraceSink::Finished TraceSink::finish(const std::filesystem::path& path) {
  queue_.finish();
  Finished finished;
  if (const std::optional<MessageArg> failure = queue_.failure()) {
    finished.complaint = msg::trace_ends_early{.reason = *failure};
  } else if (queue_.dropped() > 0) {
    finished.complaint = msg::trace_records_missing{.count = queue_.dropped()};
  }
  tracer_.write(path);
  finished.steps = tracer_.steps();
  finished.left_out = tracer_.left_out();
  return finished;
}

}  // namespace qanat
