// The file formats of traces. Perfetto's own (TrackEvent protobuf) is the one to use; Chrome's JSON
// is for tools that know no other and is three times larger.
//
// Every method appends whole records to `out`; a file is open(), then any records, then close().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qanat {

// What a trace is made of, whatever file format it ends in. Times are nanoseconds since the session
// began. Values.
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

enum class TraceFormat { perfetto, json };

// Stateless; thread-safe.
class TraceEncoder {
 public:
  virtual ~TraceEncoder() = default;

  virtual void open(std::string& out) const = 0;
  virtual void put_track(std::string& out, const TraceTrack& track) const = 0;
  virtual void put_slice(std::string& out, int track, const TraceSlice& slice) const = 0;
  virtual void put_instant(std::string& out,
                           int track,
                           std::int64_t at,
                           const std::string& name,
                           const TraceNotes& notes) const = 0;
  virtual void put_counter(std::string& out,
                           const TraceTrack& track,
                           std::int64_t at,
                           double value) const = 0;
  virtual void close(std::string& out) const = 0;
};

std::unique_ptr<TraceEncoder> make_trace_encoder(TraceFormat format);
std::unique_ptr<TraceEncoder> make_perfetto_encoder();
std::unique_ptr<TraceEncoder> make_chrome_encoder();

}  // namespace qanat
