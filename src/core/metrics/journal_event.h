// Everything a run journals, one type per kind of line: the events that producers record and
// readers visit. visit_fields() names the keys of a kind once, for writing and for reading.
//
// Values. A key that a line lacks leaves its field as it is here: unknown where the field is
// optional.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "metrics/past_steps.h"
#include "metrics/pipeline_stats.h"
#include "metrics/step_record.h"
#include "metrics/validation_result.h"

namespace qanat {

// The first line of every session, and of a file that goes on with one.
struct SessionStart {
  std::optional<std::string> command{};    // "train"
  std::optional<std::string> name{};       // what people call the run; absent: not named
  std::optional<std::string> trainer{};    // "torch": a loop of somebody else's; absent: Qanat
  std::optional<std::string> device{};     // of the model
  std::optional<nlohmann::json> config{};  // by section and key
  std::optional<std::string> started{};    // UTC; the journal's, like the two below
  std::optional<std::int64_t> format{};
  std::optional<bool> continues{};      // another file: no session begins
  std::optional<std::int64_t> recap{};  // lines that follow and repeat what was in files before
  static constexpr std::string_view kKind = "journal";
  static void visit_fields(auto& self, auto&& field) {
    field("command", self.command)("name", self.name)("trainer", self.trainer);
    field("device", self.device)("config", self.config);
    field("started", self.started)("format", self.format)("continues", self.continues);
    field("recap", self.recap);
  }
};

// How the ranks of a run exchange gradients.
struct ExchangeSetup {
  std::optional<std::string> backend{};    // "gloo"
  std::optional<std::string> precision{};  // "float32": of what is sent
  std::optional<Bytes> bytes{};            // of all gradients, as they are sent
  std::optional<double> link{};            // bytes/s between the ranks, as tried out at the start
  static void visit_fields(auto& self, auto&& field) {
    field("backend", self.backend)("precision", self.precision)("bytes", self.bytes);
    field("link_bytes_per_s", self.link);
  }
};

// What is to be known of a run beside its steps.
struct RunStart {
  std::optional<std::string> mode{};    // "multi_gpu"
  std::optional<std::string> device{};  // of the model
  std::optional<std::int64_t> last_step{};
  std::optional<int> allowed_cores{}, uses_of_batch{}, bucket_edges{};
  std::optional<bool> prefetch_to_gpu{}, pinned{};
  std::map<std::string, std::int64_t> cadences{};  // steps between things that happen again
  std::optional<nlohmann::json> loader{};          // arguments of a DataLoader that is not ours
  // Set in a run of several processes; a run of one may say nothing, or 0 of 1.
  std::optional<int> rank{}, world{};
  std::optional<std::string> host{};  // the name of the machine
  std::optional<ExchangeSetup> exchange{};
  static constexpr std::string_view kKind = "run";
  static void visit_fields(auto& self, auto&& field) {
    field("mode", self.mode)("device", self.device)("last_step", self.last_step);
    field("allowed_cores", self.allowed_cores)("uses_of_batch", self.uses_of_batch);
    field("bucket_edges", self.bucket_edges)("prefetch_to_gpu", self.prefetch_to_gpu);
    field("pinned", self.pinned)("cadences", self.cadences)("loader", self.loader);
    field("rank", self.rank)("world", self.world)("host", self.host);
    field("exchange", self.exchange);
  }
};

// Seconds since the ring started.
struct StageTime {
  double begin = 0;
  double end = 0;

  double length() const { return end - begin; }

  static auto items(auto& self) { return std::tie(self.begin, self.end); }
};

// One batch's way through the ring. A stage that does not exist in a mode is absent.
struct SlotRecord {
  std::int64_t epoch = 0, batch = 0;
  int slot = 0;
  Seconds work{0};                     // of all workers, to fill the host batch
  Bytes bytes{};                       // that went to the model device
  std::optional<StageTime> load{};     // the feeder waited for the host batch
  std::optional<StageTime> stage{};    // host to data device
  std::optional<StageTime> prepare{};  // features on the data device
  std::optional<StageTime> copy{};     // to the model device
  std::optional<StageTime> train{};

  // The stages only, in their order.
  static void visit_stages(auto& self, auto&& stage) {
    stage("load", self.load);
    stage("stage", self.stage);
    stage("prepare", self.prepare);
    stage("copy", self.copy);
    stage("train", self.train);
  }
  static constexpr std::string_view kKind = "slot";
  static void visit_fields(auto& self, auto&& field) {
    field("epoch", self.epoch)("batch", self.batch)("slot", self.slot)("work", self.work);
    field("bytes", self.bytes);
    visit_stages(self, field);
  }
};

struct LoaderStart {
  int workers = 0;
  bool workers_fixed = false;
  int window = 0, window_asked = 0;
  Bytes budget{}, block{};
  std::size_t buckets = 0;
  std::int64_t batches_per_epoch = 0, epoch = 0, batch = 0;
  std::map<std::string, double> padding{};  // share that an epoch has with so many edges at most
  static constexpr std::string_view kKind = "loader_start";
  static void visit_fields(auto& self, auto&& field) {
    field("workers", self.workers)("workers_fixed", self.workers_fixed);
    field("window", self.window)("window_asked", self.window_asked);
    field("budget_bytes", self.budget)("block_bytes", self.block)("buckets", self.buckets);
    field("batches_per_epoch", self.batches_per_epoch)("epoch", self.epoch);
    field("batch", self.batch)("padding", self.padding);
  }
};

struct RingStart {
  int slots = 0, least_slots = 0, most_slots = 0;
  Bytes slot_bytes{};
  std::string device{};
  static constexpr std::string_view kKind = "ring_start";
  static void visit_fields(auto& self, auto&& field) {
    field("slots", self.slots)("least_slots", self.least_slots);
    field("most_slots", self.most_slots)("slot_bytes", self.slot_bytes);
    field("device", self.device);
  }
};

struct StartGateOpened {
  Seconds waited{0}, longest{0};
  std::string opened_by{};
  int ready = 0, wanted = 0;
  static constexpr std::string_view kKind = "start_gate";
  static void visit_fields(auto& self, auto&& field) {
    field("waited_s", self.waited)("longest_s", self.longest)("opened_by", self.opened_by);
    field("ready", self.ready)("wanted", self.wanted);
  }
};

// What an autotuner decided; the loader's is about workers and window, the ring's about slots.
struct AutotuneChange {
  std::optional<int> workers{}, workers_before{};
  std::optional<std::string> workers_reason{};
  std::optional<int> window{}, window_before{};
  std::optional<std::string> window_reason{};
  std::optional<int> slots{}, slots_before{};
  std::optional<std::string> slots_reason{};
  static constexpr std::string_view kKind = "autotune";
  static void visit_fields(auto& self, auto&& field) {
    field("workers", self.workers)("workers_before", self.workers_before);
    field("workers_reason", self.workers_reason)("window", self.window);
    field("window_before", self.window_before)("window_reason", self.window_reason);
    field("slots", self.slots)("slots_before", self.slots_before);
    field("slots_reason", self.slots_reason);
  }
};

// The monitor's; setup and counters are read back by monitor/host_setup.h and host_counters.h.
struct HostSample {
  std::optional<nlohmann::json> setup{};  // with the first one
  std::optional<nlohmann::json> counters{};
  std::optional<double> cost{};  // s that the monitor took so far
  static constexpr std::string_view kKind = "host";
  static void visit_fields(auto& self, auto&& field) {
    field("setup", self.setup)("counters", self.counters)("cost", self.cost);
  }
};

// Likewise, by monitor/gpu_sample.h: which GPUs there are or why that is unknown, once; then a
// sample of each in their order, or why there is none.
struct GpuSamples {
  std::optional<nlohmann::json> setup{};
  std::optional<std::string> unknown{};
  std::optional<nlohmann::json> samples{};
  std::optional<std::string> silent{};
  static constexpr std::string_view kKind = "devices";
  static void visit_fields(auto& self, auto&& field) {
    field("setup", self.setup)("unknown", self.unknown)("samples", self.samples);
    field("silent", self.silent);
  }
};

// Which GPU of the machine a device of the run is: the monitor counts all, a process those it sees.
struct CudaDeviceUsed {
  std::string device{}, name{}, bus_id{}, uuid{};
  static constexpr std::string_view kKind = "cuda_device";
  static void visit_fields(auto& self, auto&& field) {
    field("device", self.device)("name", self.name)("bus_id", self.bus_id);
    field("uuid", self.uuid);
  }
};

// Says what the thread of a foreign loop was at, sampled a few times a second. All counts
// only grow.
struct LoopSample {
  struct Line {
    std::string part{};      // of the step: "residual:after_update"; "model" inside a module
    std::string line{};      // "train.py:31"
    std::string function{};  // that it is in
    std::int64_t samples = 0;

    static void visit_fields(auto& self, auto&& field) {
      field("part", self.part)("line", self.line)("function", self.function);
      field("samples", self.samples);
    }
  };

  std::map<std::string, double> places{};       // s of parts of parts
  std::map<std::string, std::int64_t> waits{};  // samples inside next(), by what it did
  std::vector<Line> lines{};                    // that were seen most often
  std::int64_t samples = 0;
  static constexpr std::string_view kKind = "loop";
  static void visit_fields(auto& self, auto&& field) {
    field("places", self.places)("waits", self.waits)("lines", self.lines);
    field("samples", self.samples);
  }
};

struct ValidationDone {
  std::int64_t step = 0;
  std::optional<double> loss{};   // total of the losses; absent in journals where `score` was it
  std::optional<double> score{};  // what decides which checkpoint is best: smaller is better
  bool best = false;              // so far
  std::optional<SinceLowest> since_lowest{};  // absent: the first, or nothing to compare
  ValidationResult result{};
  static constexpr std::string_view kKind = "validation";
  static void visit_fields(auto& self, auto&& field) {
    field("step", self.step)("loss", self.loss)("score", self.score)("best", self.best);
    field("since_lowest", self.since_lowest);
    ValidationResult::visit_fields(self.result, field);
  }
};

struct CheckpointSaved {
  std::int64_t step = 0;
  bool best = false;
  Seconds seconds{0};
  static constexpr std::string_view kKind = "checkpoint";
  static void visit_fields(auto& self, auto&& field) {
    field("step", self.step)("best", self.best)("seconds", self.seconds);
  }
};

// Sentences that were said with the weights of a step; sentence 1 is sentence-1.wav and .png.
struct EvaluationRendered {
  // When a symbol of the text is heard: from the end of the one before.
  struct Symbol {
    std::string symbol{};
    double end = 0;  // s

    bool operator==(const Symbol&) const = default;
    static void visit_fields(auto& self, auto&& field) {
      field("symbol", self.symbol)("end", self.end);
    }
  };
  struct Sentence {
    std::string text{};
    double seconds = 0;
    std::vector<Symbol> symbols{};  // by the durations the model has predicted; empty: not known
    std::optional<std::string> recording{};  // "recording-<hash>.wav" in the folder above: the same
                                             // clip as it was recorded

    static void visit_fields(auto& self, auto&& field) {
      field("text", self.text)("seconds", self.seconds)("symbols", self.symbols);
      field("recording", self.recording);
    }
  };
  struct AxisMark {
    double hz = 0;
    double at = 0;  // share of the height of a picture

    static void visit_fields(auto& self, auto&& field) { field("hz", self.hz)("at", self.at); }
  };

  std::int64_t step = 0;
  std::string folder{};
  Seconds seconds{0};
  std::optional<std::string> vocoder{};  // who spoke: "griffin-lim", "vocos"
  std::vector<Sentence> sentences{};
  std::vector<AxisMark> axis{};
  static constexpr std::string_view kKind = "render";
  static void visit_fields(auto& self, auto&& field) {
    field("step", self.step)("folder", self.folder)("seconds", self.seconds);
    field("vocoder", self.vocoder)("sentences", self.sentences)("axis", self.axis);
  }
};

// What the run was told about itself while it went on.
struct VerdictGiven {
  std::optional<std::string> occasion{};
  std::optional<std::int64_t> step{}, epoch{};
  std::optional<std::string> text{};
  static constexpr std::string_view kKind = "verdict";
  static void visit_fields(auto& self, auto&& field) {
    field("occasion", self.occasion)("step", self.step)("epoch", self.epoch);
    field("text", self.text);
  }
};

struct Resumed {
  std::int64_t step = 0;
  std::string folder{};
  static constexpr std::string_view kKind = "resumed";
  static void visit_fields(auto& self, auto&& field) {
    field("step", self.step)("folder", self.folder);
  }
};

struct NoteTold {
  std::string what{};
  static constexpr std::string_view kKind = "note";
  static void visit_fields(auto& self, auto&& field) { field("what", self.what); }
};

struct DamagedCheckpoint {
  std::string what{};
  static constexpr std::string_view kKind = "damaged_checkpoint";
  static void visit_fields(auto& self, auto&& field) { field("what", self.what); }
};

struct DamagedFeatures {
  std::optional<std::string> id{};  // of one utterance; else of a whole shard
  std::string reason{};
  static constexpr std::string_view kKind = "damaged_features";
  static void visit_fields(auto& self, auto&& field) {
    field("id", self.id)("reason", self.reason);
  }
};

// An utterance that could not be used: another took its place.
struct BadUtterance {
  std::int64_t epoch = 0, batch = 0;
  int row = 0;
  std::uint32_t item = 0;
  std::string file{}, reason{};
  static constexpr std::string_view kKind = "bad_utterance";
  static void visit_fields(auto& self, auto&& field) {
    field("epoch", self.epoch)("batch", self.batch)("row", self.row)("item", self.item);
    field("file", self.file)("reason", self.reason);
  }
};

// An utterance of the data set that the run does without from the beginning.
struct LeftOut {
  std::string id{}, file{}, manifest{};
  std::int64_t line = 0;
  std::string problem{}, reason{};
  static constexpr std::string_view kKind = "left_out";
  static void visit_fields(auto& self, auto&& field) {
    field("id", self.id)("file", self.file)("manifest", self.manifest)("line", self.line);
    field("problem", self.problem)("reason", self.reason);
  }
};

struct SkippedStep {
  std::int64_t step = 0, epoch = 0, batch = 0;
  std::vector<std::uint32_t> items{};
  std::int64_t in_a_row = 0;
  static constexpr std::string_view kKind = "skipped_step";
  static void visit_fields(auto& self, auto&& field) {
    field("step", self.step)("epoch", self.epoch)("batch", self.batch)("items", self.items);
    field("in_a_row", self.in_a_row);
  }
};

struct OutOfMemoryRetry {
  std::vector<std::int64_t> shape{};  // rows, frames, tokens
  std::int64_t rows = 0, retried_with = 0;
  std::string why{};
  static constexpr std::string_view kKind = "out_of_memory";
  static void visit_fields(auto& self, auto&& field) {
    field("shape", self.shape)("rows", self.rows)("retried_with", self.retried_with);
    field("why", self.why);
  }
};

struct StepGraphState {
  std::vector<std::int64_t> shape{};  // rows, frames, tokens
  std::string state{}, why{};
  static constexpr std::string_view kKind = "step_graph";
  static void visit_fields(auto& self, auto&& field) {
    field("shape", self.shape)("state", self.state)("why", self.why);
  }
};

struct TelemetryCost {
  std::optional<double> journal_seconds{};
  static constexpr std::string_view kKind = "telemetry";
  static void visit_fields(auto& self, auto&& field) { field("journal_s", self.journal_seconds); }
};

struct RunEnd {
  std::string ending{};  // "max_steps"
  std::int64_t step = 0;
  static constexpr std::string_view kKind = "ended";
  static void visit_fields(auto& self, auto&& field) {
    field("ending", self.ending)("step", self.step);
  }
};

// The outcome of a sweep over workers and batch sizes, as report/sweep_report.h has it.
struct SweepDone {
  nlohmann::json fields = nlohmann::json::object();
  static constexpr std::string_view kKind = "sweep";
};

// A kind that this version does not know.
struct UnknownEvent {
  std::string kind{};
  nlohmann::json fields = nlohmann::json::object();
};

// The most frequent ones first: that is the order in which a line's kind is looked for.
using JournalEvent = std::variant<StepRecord,
                                  SlotRecord,
                                  PipelineStats,
                                  HostSample,
                                  GpuSamples,
                                  PastSteps,
                                  SessionStart,
                                  RunStart,
                                  LoaderStart,
                                  RingStart,
                                  StartGateOpened,
                                  AutotuneChange,
                                  CudaDeviceUsed,
                                  LoopSample,
                                  ValidationDone,
                                  CheckpointSaved,
                                  EvaluationRendered,
                                  VerdictGiven,
                                  Resumed,
                                  NoteTold,
                                  DamagedCheckpoint,
                                  DamagedFeatures,
                                  BadUtterance,
                                  LeftOut,
                                  SkippedStep,
                                  OutOfMemoryRetry,
                                  StepGraphState,
                                  TelemetryCost,
                                  RunEnd,
                                  SweepDone,
                                  UnknownEvent>;

// A line of a journal: an event, and when it was recorded.
struct JournalEntry {
  std::optional<Seconds> at{};  // since its session began
  JournalEvent event{};
};

// For std::visit: what to do with which event, `[](const auto&) {}` for all others.
template <typename... Visitors>
struct OnEvent : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
OnEvent(Visitors...) -> OnEvent<Visitors...>;

template <typename... Events>
bool is_one_of(const JournalEvent& event) {
  return (std::holds_alternative<Events>(event) || ...);
}

std::string_view kind_of(const JournalEvent& event);
// The keys and values of its line, but for "kind" and "t".
nlohmann::json to_fields(const JournalEvent& event);
// Fails when the line, an object, lacks what its kind cannot do without.
Result<JournalEntry> to_journal_entry(nlohmann::json line);

}  // namespace qanat
