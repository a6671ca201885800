// Runs the real loader to measure it: as fast as it goes, or at the pace of a trainer; once, or
// over a grid of settings. No libtorch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/make_loader.h"
#include "base/progress.h"
#include "config/run_config.h"
#include "diagnose/data_profile.h"
#include "diagnose/sweep.h"
#include "metrics/journal.h"
#include "monitor/host_facts.h"

namespace qanat {

// What is loaded; read once, used by every measurement.
struct ProfiledSet {
  std::shared_ptr<const UtteranceSet> set;
  std::shared_ptr<const TextFrontEnd> text;
};

// Nothing when stopped. Throws Error when there is no such data set.
std::optional<ProfiledSet> load_profiled_set(const RunConfig& config,
                                             const ProgressFn& progress,
                                             const std::stop_token& stop);

struct DataRunRequest {
  RunConfig config;
  ProfiledSet data;
  std::int64_t batches = 200;
  std::optional<Seconds>
      step{};             // the consumer keeps each batch for so long; absent: takes the next
  ProgressFn progress{};  // batches
  std::stop_token stop{};
  HostFacts host = read_host_facts();
};

// What was delivered until `batches` were or it was stopped; nothing when fewer than two were.
std::optional<DataMeasurement> measure_loader(const DataRunRequest& request);

struct SweepRequest {
  RunConfig config;
  ProfiledSet data;
  std::vector<int> batches{};  // sizes
  std::vector<int> workers{};
  std::optional<Seconds> step{};
  Seconds budget{60};     // no new visit after that
  Seconds visit{0.5};     // of one cell, its warm-up not counted
  ProgressFn progress{};  // visits, of the fewest that can be enough
  std::stop_token stop{};
  HostFacts host = read_host_facts();
  EventSink* journal = nullptr;  // gets the outcome as one event of kind "sweep"
};

// Half, the same and twice the batch size of the configuration; 1, 2, 4, ... workers up to what is
// allowed.
std::vector<int> default_sweep_batches(const RunConfig& config);
std::vector<int> default_sweep_workers(const HostFacts& host);

// Visits the cells in rounds, each in an order of its own, until all are known to 2 % or the
// budget is spent. Stopped: what there is.
SweepReport sweep_loader(const SweepRequest& request);

}  // namespace qanat
