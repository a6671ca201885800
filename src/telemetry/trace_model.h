// What a trace is made of, whatever file format it ends in. Times are nanoseconds since the session
// began. Values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qanat {

enum class TraceTrackKind { slices, counter };

struct TraceTrack {
  int id = 0;
  std::string name;
  TraceTrackKind kind = TraceTrackKind::slices;
  int rank = 0;        // tracks are shown in this order
  std::string unit{};  // of a counter
};

// An arrow between slices of different tracks, from the one where `id` begins to where it ends.
enum class FlowStage { begin, end };
struct TraceFlow {
  std::uint64_t id = 0;
  FlowStage stage = FlowStage::begin;
};

using TraceNotes = std::vector<std::pair<std::string, std::string>>;

// `inner` slices lie inside, in the order of time, and do not overlap.
struct TraceSlice {
  std::string name;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<TraceFlow> flows{};
  TraceNotes notes{};
  std::vector<TraceSlice> inner{};
};

}  // namespace qanat
