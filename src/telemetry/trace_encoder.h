// The file formats of traces. Perfetto's own (TrackEvent protobuf) is the one to use; Chrome's JSON
// is for tools that know no other and is three times larger.
//
// Every method appends whole records to `out`; a file is open(), then any records, then close().
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "telemetry/trace_model.h"

namespace qanat {

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
