// What a journal tells of a run, as far as diagnosis needs it: steps, the loader's last word, the
// host and the cadences that were configured. Built line by line in bounded memory.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "diagnose/finding.h"
#include "diagnose/host_trace.h"
#include "diagnose/periodicity.h"
#include "diagnose/setup_facts.h"
#include "metrics/pipeline_stats.h"
#include "metrics/step_record.h"
#include "monitor/storage_probe.h"

namespace qanat {

// How one batch came to the model device: lengths of its stages, in seconds.
struct BatchWay {
  double work = 0;     // of all workers, to fill it
  double stage = 0;    // host to data device
  double prepare = 0;  // features on the data device
  double copy = 0;     // to the model device
  double bytes = 0;    // that this copied
  double ready = 0;    // lay on the model device until its step began
};

// Absent is unknown, never zero.
struct RunTrace {
  std::deque<StepRecord> steps;   // of the last session, the latest ones when there are very many
  std::int64_t steps_before = 0;  // of that session, not kept
  std::deque<BatchWay> ways;      // of the batches of these steps, in their order
  std::optional<PipelineStats> pipeline;             // the latest reading; counted from the start
  std::vector<PipelineStats> readings;               // the ones before, thinned out in a long run
  nlohmann::json run = nlohmann::json::object();     // the line of kind "run": mode, devices, host
  nlohmann::json config = nlohmann::json::object();  // of the session, as its first line has it
  TrainedBy trained_by = TrainedBy::qanat;           // who wrote it
  std::vector<Cadence> cadences;                     // things that happen every so many steps
  std::optional<HostTrace> host;                     // lines of kind "host", added up
  std::optional<GpuTrace> gpus;                      // lines of kind "devices"
  std::optional<StorageReading> storage;             // the line of kind "storage"
  std::optional<SetupFacts> setup;                   // of a run that is not only a journal
  std::optional<double> journal_seconds;             // that journalling took
  bool ended = false;                                // the run said that it ended
  int damaged_lines = 0;
  int sessions = 0;

  // How many steps a trace keeps; more is more than any statistic needs.
  static constexpr std::size_t kMostSteps = 100'000;
  static constexpr std::size_t kMostReadings = 128;

  // Takes one line of a journal; lines of other kinds are passed over.
  void add(const nlohmann::json& line);
  // For a run that is going on in this process.
  void add(const StepRecord& step);
  void add(PipelineStats reading);
  // Forgets all but the latest steps.
  void keep_latest(std::size_t most);
};

// What to say of a journal that holds no step.
std::string no_step_in(const std::filesystem::path& journal);

// Fails when the journal cannot be read, or holds no step.
Result<RunTrace> read_run_trace(const std::filesystem::path& journal);

}  // namespace qanat
