// A run's journal as a trace: the timeline of every batch through loader, ring and model, on tracks
// that can be looked at side by side, with arrows from utterance to batch to step.
//
//   steps               a slice per step, its breakdown inside
//   loader worker N     a slice per utterance           (needs rows: only of a live run)
//   feeder              waiting for the loader
//   slot N              stage, prepare | copy, ready, in use
//   checkpoints, renders, events; counters: loss, queue, memory
//
// If the trace of a run is longer than the budget, its beginning and its end are written, and all
// of the 20 longest steps, from their utterances on.
//
// The same from a running program and from a file. For one thread; memory is bounded by the budget.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"
#include "metrics/journal_event.h"
#include "telemetry/trace_encoder.h"
#include "telemetry/trace_store.h"

namespace qanat {

struct TraceOptions {
  TraceFormat format = TraceFormat::perfetto;
  Bytes budget = mebibytes(32);  // of the file, and of the memory until it is written
};

// An utterance in the hands of a worker. Times since the session began.
struct TracedRow {
  int worker = 0;
  std::int64_t epoch = 0;
  std::int64_t batch = 0;
  int row = 0;
  std::string utterance;
  Seconds begin{0};
  Seconds end{0};
};

class RunTracer {
 public:
  explicit RunTracer(const TraceOptions& options = {});

  // The start of a session starts the trace again; what has no time is passed over.
  void add(const JournalEntry& entry);
  void add_row(const TracedRow& row);

  // Writes what there is; the file appears whole. Throws Error when it cannot be written.
  void write(const std::filesystem::path& path);

  std::int64_t left_out() const { return store_.left_out(); }
  std::int64_t steps() const { return steps_; }

 private:
  using BatchKey = std::pair<std::int64_t, std::int64_t>;  // epoch, index
  struct Track {
    TraceTrack track;
    std::int64_t newest = 0;  // end of its last record: records of a track are in order
  };
  struct PendingStep {
    StepRecord record;
    std::int64_t reported = 0;  // when the line was written: no later than that it ended
  };

  Track& track(const std::string& name, int rank, TraceTrackKind kind = TraceTrackKind::slices);
  void put_slice(Track& track, TraceSlice slice, TraceStore::Group group = TraceStore::kNoGroup);
  void put_instant(const JournalEvent& event, std::int64_t at);
  void put_counter(const std::string& name, const std::string& unit, std::int64_t at, double value);

  void begin_session();
  void add_slot(const SlotRecord& slot);
  void put_slot_stages(const SlotRecord& slot, const BatchKey& batch);
  void put_job(const std::string& track_name, std::int64_t step, Seconds took, std::int64_t end);
  void add_pipeline(const PipelineStats& stats, std::int64_t at);
  void put_step(const StepRecord& record, std::int64_t end);
  void rate_step(const StepRecord& record);
  TraceNotes longest_steps() const;
  void put_pending_steps(std::size_t most_pending);
  std::pair<std::int64_t, std::int64_t> ring_interval(const StageTime& stage) const;
  std::vector<TraceFlow> take_row_flows(const BatchKey& batch);

  const TraceOptions options_;
  const std::unique_ptr<TraceEncoder> encoder_;
  TraceStore store_;
  std::map<std::string, Track> tracks_;
  std::int64_t ring_origin_ = 0;
  std::int64_t steps_ = 0;
  std::map<BatchKey, std::int64_t> read_;          // when the model was done with a batch
  std::map<BatchKey, std::vector<int>> row_sets_;  // rows seen of batches that are being filled
  std::map<double, std::int64_t, std::greater<>> longest_;  // steps by their time
  std::deque<PendingStep> pending_;  // steps whose batch has not been told of
};

}  // namespace qanat
