// What a loader did since it was made: the numbers behind reports and diagnosis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "metrics/flow_stats.h"
#include "metrics/log_histogram.h"
#include "metrics/usage.h"

namespace qanat {

// A worker's time since it started: busy + blocked + starved + parked, and the little between.
struct WorkerStats {
  std::int64_t rows = 0;
  Seconds busy{0};     // filling rows
  Seconds blocked{0};  // the window was full: the consumer is slow
  Seconds starved{0};  // there was nothing to claim: the next epoch's plan was not ready
  Seconds parked{0};   // switched off by the autotuner
  // How the kernel saw its time, a few rows old. What is left of busy when cpu, run_delay and
  // lock_wait are taken off, it was blocked: by storage, as a rule.
  std::optional<Seconds> cpu{};
  std::optional<Seconds> run_delay{};  // ready to run, but no processor was free
  Seconds lock_wait{0};                // other workers held what it needed
  std::int64_t major_faults = 0;

  static void visit_fields(auto& self, auto&& field) {
    field("rows", self.rows)("busy", self.busy)("blocked", self.blocked);
    field("starved", self.starved)("parked", self.parked)("cpu", self.cpu);
    field("run_delay", self.run_delay)("lock_wait", self.lock_wait);
    field("major_faults", self.major_faults);
  }
};

// A row that took long.
struct SlowRow {
  std::string file{};
  Seconds time{0};         // the longest
  std::int64_t times = 1;  // that it was among the slowest

  static void visit_fields(auto& self, auto&& field) {
    field("file", self.file)("seconds", self.time)("times", self.times);
  }
};

// Rows that were slow once and were read again.
struct SlowRowsAgain {
  std::int64_t read_again = 0;
  std::int64_t slow_again = 0;

  static void visit_fields(auto& self, auto&& field) {
    field("read_again", self.read_again)("slow_again", self.slow_again);
  }
};

// What a device did; the busy clock runs while at least one piece of work does.
struct DeviceUse {
  std::string role{};  // model, data
  std::string name{};  // "virtual:0"
  Seconds busy{0};
  Seconds copying{0};
  Bytes copied{};
  std::int64_t host_waits = 0;  // calls that blocked the host on it
  Bytes memory{};               // in use
  Bytes most_memory{};          // that was ever in use
  std::optional<Bytes> memory_limit{};

  static void visit_fields(auto& self, auto&& field) {
    field("role", self.role)("name", self.name)("busy", self.busy)("copying", self.copying);
    field("copied", self.copied)("host_waits", self.host_waits)("memory", self.memory);
    field("most_memory", self.most_memory)("memory_limit", self.memory_limit);
  }
};

// The ring between loader and device.
struct RingUse {
  int slots = 0;
  Occupancy ready{};     // batches that were submitted ahead
  WaitTime starved{};    // the consumer waited for one
  WaitTime free_wait{};  // the feeder waited for a slot: the ring is full, as it should be

  static void visit_fields(auto& self, auto&& field) {
    field("slots", self.slots);
    Occupancy::visit_fields(self.ready, field);
    field("starvations", self.starved.count)("starved", self.starved.total);
    field("free_waits", self.free_wait.count)("free_waited", self.free_wait.total);
  }
};

struct WindowStats {
  int batches = 0;   // being filled or ready, not yet taken
  int limit = 0;     // at most that many
  Bytes bytes;       // lent to the window and to the consumer
  Bytes most_bytes;  // that were lent at once
  Bytes allocated;   // by the pool, lent or not
  Bytes budget;

  static void visit_fields(auto& self, auto&& field) {
    field("batches", self.batches)("limit", self.limit)("bytes", self.bytes);
    field("most_bytes", self.most_bytes)("allocated", self.allocated)("budget", self.budget);
  }
};

struct PipelineStats {
  Seconds age{0};
  StageStats decode{.name = "decode"};  // read, decode, resample, mix down
  StageStats mel{.name = "mel"};
  StageStats tokens{.name = "tokens"};
  StageStats copy{.name = "copy"};  // out of shards or memory, and into the cache
  std::vector<WorkerStats> workers;
  int active_workers = 0;
  BufferStats ready;  // finished batches; its pop_wait is the consumer's waiting
  WindowStats window;
  Seconds consumer_busy{0};  // between its calls
  std::int64_t batches = 0;  // delivered
  std::int64_t rows = 0;     // delivered
  std::int64_t bad = 0;      // attempts to fill a row that failed; each was substituted
  std::int64_t from_audio = 0;
  std::int64_t from_store = 0;
  std::int64_t from_cache = 0;
  FrameCount frames;               // delivered, without padding
  FrameCount padded_frames;        // delivered, with padding
  Bytes bytes;                     // delivered
  LogHistogram row_times;          // of filling one row
  std::vector<SlowRow> slowest{};  // a few
  std::optional<SlowRowsAgain> slow_rows{};
  std::optional<ProcessUsage> process{};
  std::optional<RingUse> ring{};
  std::vector<DeviceUse> devices{};

  // The share of the time since the consumer first called that it waited for data.
  double wait_share() const {
    const Seconds waited = ready.pop_wait.total;
    const Seconds total = waited + consumer_busy;
    return total.count() > 0 ? waited / total : 0.0;
  }
  double padding_share() const {
    return padded_frames.value == 0
               ? 0.0
               : 1.0 - static_cast<double>(frames.value) / static_cast<double>(padded_frames.value);
  }

  static constexpr std::string_view kKind = "pipeline";
  static void visit_fields(auto& self, auto&& field) {
    field("age", self.age)("active_workers", self.active_workers);
    field("consumer_busy", self.consumer_busy)("batches", self.batches)("rows", self.rows);
    field("bad", self.bad)("from_audio", self.from_audio)("from_store", self.from_store);
    field("from_cache", self.from_cache)("frames", self.frames)("bytes", self.bytes);
    field("padded_frames", self.padded_frames)("ready", self.ready)("window", self.window);
    // Other trainers do not say what their workers do with a row.
    field.known_object("stages", [&self](auto&& stage) {
      stage("decode", self.decode)("mel", self.mel)("tokens", self.tokens)("copy", self.copy);
    });
    field("workers", self.workers)("row_times", self.row_times)("slowest", self.slowest)(
        "slow_rows", self.slow_rows);
    field("process", self.process)("ring", self.ring)("devices", self.devices);
  }
};

}  // namespace qanat
