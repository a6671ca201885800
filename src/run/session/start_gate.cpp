#include "session/start_gate.h"

#include <algorithm>

#include "locale/messages/training.h"

namespace qanat {
namespace {

// A first batch is waited for in pieces of this length; only a stop or its arrival ends it.
constexpr Seconds kPatience{60};
// A ring of this depth or less is full when the gate opens, a deeper one half full.
constexpr int kWholeRing = 6;

Seconds rest_of(Seconds timeout, Clock::time_point begin) {
  return std::max(Seconds{0}, timeout - seconds_since(begin));
}

void rethrow_failure(const TransferRing& ring) {
  if (const std::exception_ptr failure = ring.source_failure()) {
    std::rethrow_exception(failure);
  }
}

}  // namespace

const char* to_string(GateOpening opening) {
  switch (opening) {
    case GateOpening::low_water:
      return "low_water";
    case GateOpening::whole_data:
      return "whole_data";
    case GateOpening::longest_wait:
      return "longest_wait";
  }
  return "unknown";
}

GateMarks low_water_marks(int slots, int window) {
  return {.slots = std::max(std::min(slots, kWholeRing), slots / 2),
          .ready = window == 0 ? 0 : std::max(1, window / 4)};
}

GateResult open_gate(TransferRing& ring,
                     const Loader& loader,
                     Seconds timeout,
                     const std::stop_token& stop) {
  const Clock::time_point begin = Clock::now();
  const GateMarks marks = low_water_marks(ring.stats().slots, loader.stats().window.limit);
  GateResult result{.wanted = marks.slots + marks.ready};
  const bool full = ring.wait_until_warm(marks.slots, timeout, stop);
  rethrow_failure(ring);
  while (!stop.stop_requested() && !ring.wait_until_warm(1, kPatience, stop)) {
  }
  rethrow_failure(ring);
  const ReadyLevel behind = loader.wait_until_ready(marks.ready, rest_of(timeout, begin), stop);
  result.waited = seconds_since(begin);
  const RingStats now = ring.stats();
  result.ready = static_cast<int>(now.submitted - now.batches) + behind.batches;
  result.stopped = stop.stop_requested();
  if (behind.ended) {
    result.opening = GateOpening::whole_data;
  } else if (!full || behind.batches < marks.ready) {
    result.opening = GateOpening::longest_wait;
  }
  return result;
}

Message describe_wait(const DevicePlan& plan, Seconds timeout, Symbols symbols) {
  const Quantity seconds = plain(timeout.count(), 1);
  const Message line = plan.mode == RunMode::multi_gpu
                           ? Message(msg::gate_wait_multi{.seconds = seconds})
                           : Message(msg::gate_wait_single{.seconds = seconds});
  return marked(symbols, "🕐", line);
}

Message describe_opening(const GateResult& result, Symbols symbols) {
  const Quantity seconds = plain(result.waited.count(), 2);
  const Message line =
      result.opening == GateOpening::longest_wait
          ? Message(msg::gate_open_early{
                .ready = result.ready, .wanted = result.wanted, .seconds = seconds})
          : Message(msg::gate_open{.seconds = seconds});
  return marked(symbols, "✅", line);
}

}  // namespace qanat
