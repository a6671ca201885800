// What a journal tells of a run over time, as far as pages show it: every step is in it, joined
// with its neighbours where there are many, or were in a file that is gone. Built entry by entry in
// bounded memory.
//
// Belongs to one thread. Absent is unknown, never zero.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/result.h"
#include "diagnose/run_summary.h"
#include "metrics/binned_series.h"
#include "metrics/journal.h"
#include "metrics/journal_follower.h"
#include "monitor/gpu_sample.h"

namespace qanat {

struct ValidationPoint {
  std::int64_t step = 0;
  // Comparable with the training loss; absent: a vocoder, whose distances are something else.
  std::optional<double> loss{};
  std::optional<double> score{};  // what decides which is best; absent: the journal does not say
  bool best = false;              // so far
};

// Batches that were padded to one length.
struct LengthBin {
  std::int64_t batches = 0;
  std::int64_t frames = 0;  // that are no padding
  std::int64_t padded = 0;  // all
};

// Over the time of the session in s.
struct DeviceHistory {
  EnvelopeSeries busy;          // share
  EnvelopeSeries memory;        // bytes
  EnvelopeSeries clock;         // Hz
  std::optional<double> limit;  // bytes

  // `seconds` it was busy so far, as of `time`. That counts with the step that comes behind it:
  // what the end of a run takes is not training.
  void add_busy(double time, double seconds);
  void add_step();

 private:
  struct BusyTime {
    double at = 0;
    double seconds = 0;
  };

  std::optional<BusyTime> counted_;
  std::optional<BusyTime> latest_;
};

// Sentences that were said with the weights of a step; sentence 1 is sentence-1.wav and .png.
struct RenderPoint {
  std::int64_t step = 0;
  std::string folder;  // inside renders/ of the run
  std::optional<std::string> vocoder;
  std::vector<EvaluationRendered::Sentence> sentences;
  std::vector<EvaluationRendered::AxisMark> axis;
};

// Whether a file in renders/ is called as recordings beside renders are.
bool is_recording_name(std::string_view file);

struct RunEvent {
  double time = 0;  // s
  std::string kind;
  std::string what;
};

struct RunHistory {
  SessionStart header;  // of the last session
  int sessions = 0;
  int sessions_after = 0;  // that are not told of: see RunRecord
  std::int64_t last_step = 0;
  std::int64_t num_steps = 0;
  double last_time = 0;  // s since the header
  std::optional<StepRecord> newest;

  EnvelopeSeries step_seconds;      // by step
  BinnedSeries<StepPhases> phases;  // by step
  // These span all sessions that went on from each other.
  EnvelopeSeries loss, learning_rate, gradient_norm;
  std::map<std::string, EnvelopeSeries> loss_parts;  // by their names in StepLosses
  std::vector<ValidationPoint> validations;
  std::vector<RenderPoint> renders;  // the first one and the newest

  EnvelopeSeries ready;        // batches, by time
  EnvelopeSeries ready_limit;  // the most there can be, by time
  std::deque<SlotRecord> slots;
  std::map<int, LengthBin> lengths;              // by padded frames of a batch
  std::map<std::string, DeviceHistory> devices;  // by name
  std::vector<RunEvent> events;                  // the first ones of each session
  std::optional<nlohmann::json> sweep;           // see SweepDone

  static constexpr std::size_t kMaxSlots = 36;
  static constexpr std::size_t kMaxLengths = 64;
  static constexpr std::size_t kMaxEvents = 200;
  static constexpr std::size_t kMaxDevices = 16;
  static constexpr std::size_t kMaxValidations = 2000;
  static constexpr std::size_t kMaxRenders = 5;
  static constexpr std::size_t kMaxSentences = 16;
  static constexpr std::size_t kMaxSymbols = 400;

  void add(const JournalEntry& entry);
  // Losses, validations and renders of the same run.
  void take_learnt(RunHistory& from);

 private:
  void begin_session(const SessionStart& start);
  void go_back_to(std::int64_t step);
  void add_past(const PastSteps& past);
  void add_step(const StepRecord& step);
  void add_validation(const ValidationDone& done);
  void add_losses(const StepRecord& step);
  void add_pipeline(const PipelineStats& stats, double time);
  void add_slot(const SlotRecord& slot);
  void add_gpu_samples(const GpuSamples& seen, double time);
  void add_render(const EvaluationRendered& render);
  void add_event(const JournalEvent& event, double time);

  std::vector<GpuFacts> gpus_;
};

// A run as pages need it, from one reading of its journal. It is about the last session, but one
// that ended before it had enough steps for a verdict (a finished run that was started again) gives
// way to the newest one before that has them.
struct RunRecord {
  RunSummary summary;
  RunHistory history;
  bool gives_way = true;

  void add(const JournalEntry& entry);
  // There are no more entries: a session with too few steps has ended.
  void finish();

 private:
  void keep_ended();

  std::vector<RunRecord> before_;  // the session to give way to, until this one has many steps
};

// A journal, or the folder of a run that holds one.
std::filesystem::path journal_of(const std::filesystem::path& path);
// Fails as read_run_summary(); a sweep is enough. `also` gets every entry as well. The journals of
// the other ranks are found beside rank 0's. `stop` ends it early, with what was read until then.
// `session` counts from 1; absent: see RunRecord.
Result<RunRecord> read_run_record(const std::filesystem::path& journal,
                                  const ProgressFn& progress = {},  // lines, of about so many
                                  const VisitEntry& also = {},
                                  const std::stop_token& stop = {},
                                  std::optional<int> session = std::nullopt);

}  // namespace qanat
