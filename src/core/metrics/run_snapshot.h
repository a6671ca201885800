// What a run is doing now, gathered entry by entry from its journal: what live pages, terminals and
// exporters show. The same from a running program (LiveSnapshot) and from a file (add() each
// entry).
//
// A snapshot is a value of bounded size, however long the run. It is about the newest session: the
// header of a resumed one resets it. Absent is unknown, never zero.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "base/quantity.h"
#include "base/time.h"
#include "metrics/gpu_totals.h"
#include "metrics/journal.h"
#include "metrics/pipeline_stats.h"
#include "metrics/step_record.h"

namespace qanat {

// Counts of durations in bins that double in width, 1 ms to 65 s.
struct DurationHistogram {
  static constexpr std::size_t kEdges = 17;
  // Seconds; a duration belongs to the first bin whose edge is not less.
  static constexpr double edge(std::size_t bin) { return 0.001 * static_cast<double>(1U << bin); }

  std::array<std::int64_t, kEdges + 1> counts{};  // the last one: longer than every edge
  Seconds sum{0};

  void add(Seconds duration, std::int64_t times = 1);
  std::int64_t count() const;
};

// A step, as far as a chart needs it.
struct RecentStep {
  std::int64_t step = 0;
  Seconds at{0};  // since the session began
  double loss = 0;
  StepPhases phases;
};

// The ring of slots on the model device.
struct RingState {
  int slots = 0;
  int most_slots = 0;
  Bytes slot_bytes;
  std::int64_t batches = 0;  // that went through it
};

struct RunSnapshot {
  static constexpr std::size_t kRecentSteps = 512;

  // The session.
  int sessions = 0;
  std::string started;                    // UTC, as in the header
  std::string command;                    // "train"
  std::string name;                       // of the run; empty: it has none
  std::string mode;                       // "multi_gpu", ...
  std::string model_device;               // "cpu", "virtual:1", ...
  std::optional<std::int64_t> last_step;  // that is to come, all sessions counted
  std::optional<std::string> ending;      // the run said that it ended, and how
  Seconds at{0};                          // of the newest line, since the session began

  // Its steps.
  std::int64_t steps = 0;
  std::int64_t skipped_steps = 0;
  std::int64_t frames = 0;  // without padding
  std::optional<StepRecord> newest;
  StepPhases seconds;  // summed over the steps
  DurationHistogram step_seconds;
  std::deque<RecentStep> recent;  // the newest ones

  // What feeds them.
  std::optional<PipelineStats> pipeline;  // as it was journalled last
  std::optional<RingState> ring;
  std::int64_t bad_utterances = 0;
  std::int64_t out_of_memory = 0;
  GpuCounters gpus;

  std::optional<HostSample> host;  // the newest

  // Over the newest steps; nothing before there are two.
  std::optional<double> steps_per_second() const;
  // The share of the newest steps' time spent waiting for data and transfers.
  std::optional<double> wait_share() const;

  void add(const JournalEntry& entry);
};

// Hears of a run's events and keeps the snapshot. Thread-safe; read() copies, and costs as much as
// a few steps' lines: once per look, not once per viewer.
class LiveSnapshot final : public EventSink {
 public:
  void record(const JournalEvent& event) override;
  RunSnapshot read() const;

 private:
  mutable std::mutex mutex_;  // guards everything below
  Clock::time_point start_ = Clock::now();
  RunSnapshot snapshot_;
};

}  // namespace qanat
