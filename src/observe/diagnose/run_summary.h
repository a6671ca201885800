// What a journal tells of a run, as far as diagnosis needs it: steps, the timeline of each batch,
// the loader's last word, the host and the cadences that were configured. Built entry by entry in
// bounded memory.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "diagnose/finding.h"
#include "diagnose/host_summary.h"
#include "diagnose/periodicity.h"
#include "metrics/binned_series.h"
#include "metrics/journal_event.h"
#include "metrics/journal_follower.h"
#include "monitor/storage_probe.h"

namespace qanat {

// What is known of a run before it starts: configuration and data set, as far as rules judge them.
struct DataSetFacts {
  std::string folder;
  std::int64_t rows = 0;
  std::int64_t dropped = 0;
  std::int64_t usable = 0;  // utterances
  int batch_size = 0;       // that is asked for
};

struct SetupFacts {
  MessageArg::List inert_keys{};             // that were given and do nothing here, with the reason
  std::optional<int> workers;                // that were asked for
  int cores = 1;                             // that the run may use
  std::optional<double> memory_wanted;       // bytes; absent: no budget was given
  std::optional<double> memory_free;         // bytes
  std::optional<MessageArg> device_problem;  // of the devices that were asked for; absent: none
  int virtual_gpus = 0;
  std::optional<DataSetFacts> data_set;  // absent: there is none, or it cannot be read
};

// Seconds that a stage of a batch took: 0 where the mode has no such stage.
inline double length_of(const std::optional<StageTime>& stage) {
  return stage ? stage->length() : 0;
}
// Seconds that a batch lay on the model device until its step began.
double ready_time(const SlotRecord& slot);

// Absent is unknown, never zero.
struct RunSummary {
  std::deque<StepRecord> steps;    // of the last session, the latest ones when there are very many
  std::int64_t steps_before = 0;   // of that session, not kept
  std::deque<SlotRecord> slots;    // of the batches of these steps, in their order
  EnvelopeSeries training_loss{};  // of all steps: of the mel where that is known
  std::deque<ValidationDone> validations{};          // the latest
  std::optional<PipelineStats> pipeline;             // the latest reading; counted from the start
  std::vector<PipelineStats> readings;               // the ones before, thinned out in a long run
  std::map<std::string, double> padding_by_edges;    // of an epoch with so many shapes, as planned
  RunStart run;                                      // mode, devices, host
  std::optional<std::string> name;                   // of the run, as people call it
  nlohmann::json config = nlohmann::json::object();  // of the session, as its first line has it
  TrainedBy trained_by = TrainedBy::qanat;           // who wrote it
  std::vector<Cadence> cadences;                     // things that happen every so many steps
  TrainingTime training{};                           // when steps were made
  std::optional<HostSummary> host;                   // samples of the host, added up
  std::optional<GpuSummary> gpus;                    // and of the GPUs
  std::vector<CudaDeviceUsed> cuda_devices;          // which of them the devices of the run are
  std::optional<StorageReading> storage;             // of a run that is not only a journal
  std::optional<SetupFacts> setup;                   // likewise
  std::optional<LoopSample> loop;                    // what a loop that is not ours was at
  std::optional<double> journal_seconds;             // that journalling took
  std::int64_t out_of_memory = 0;                    // times that rows did not fit and were split
  bool is_paced = false;                             // the consumer was a timer, not a model
  std::optional<std::string> ending;                 // how it ended, as the run said; "silent"
  int turns = 1;  // runs that the steps come from, one after the other
  int damaged_lines = 0;
  int sessions = 0;
  // The other ranks of a run of several, by number from 1; none when a journal is missing.
  std::vector<RunSummary> others{};

  // How many steps a summary keeps; more is more than any statistic needs.
  static constexpr std::size_t kMaxSteps = 100'000;
  static constexpr std::size_t kMaxReadings = 128;
  static constexpr std::size_t kMaxValidations = 64;
  static constexpr std::size_t kMaxStepsOfOthers = 10'000;  // each

  // The steps of the session, including those that are not kept.
  std::int64_t num_steps() const { return steps_before + static_cast<std::int64_t>(steps.size()); }

  void add(const JournalEntry& entry);
  // For a run in this process.
  void add(const StepRecord& step);
  void add(PipelineStats reading);
  // Forgets all but the latest steps.
  void keep_latest(std::size_t most);
};

// What to say of a journal that holds no step.
Failure no_step_in(const std::filesystem::path& journal);

// Fails when the journal cannot be read, or holds no step.
Result<RunSummary> read_run_summary(const std::filesystem::path& journal,
                                    const VisitOptions& options = {});

// The ranks beside the one whose journal this is, rank 0's: see RunSummary::others. Nothing for a
// run of one. Of long journals the beginning and the newest steps are read: a few MB of each.
std::vector<RunSummary> read_other_ranks(const std::filesystem::path& journal,
                                         const RunStart& run,
                                         const std::stop_token& stop = {});
// Sets RunSummary::others, and tells every rank what the others took of its machine.
void set_other_ranks(RunSummary& first, std::vector<RunSummary> others);
// How many there should be.
int num_other_ranks(const RunStart& run);

}  // namespace qanat
