// A run without a model: the real loader, ring, step time breakdown and journal, and a device that
// is busy for as long as a step would take. It leaves the processor to the loader, as a GPU does.
// With the numbers of two GPUs in the configuration it runs in Multi-GPU mode: the data device
// makes the features, on the processor.
//
// For self-tests, where what slows steps down is known, and to compare how modes feed a device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

#include "app/make_loader.h"
#include "config/run_config.h"
#include "device/host/host_stream.h"
#include "diagnose/run_summary.h"
#include "train/train_observer.h"

namespace qanat {

// How long a step keeps the device busy.
struct StepCost {
  Seconds fixed{0.001};
  Seconds per_frame{7e-6};  // rows x frames, padding included
  double noise = 0.01;      // standard deviation, of the step
  double drift = 0;         // of the first step: how much longer the last one takes
};

struct PacedRunRequest {
  RunConfig config;
  LoaderRequest loader;  // set, text and around_source
  StepCost cost{};
  LinkModel link{};  // between host and device
  std::int64_t steps = 300;
  int loader_threads = 1;           // the most workers that a loader may have unasked
  TrainObserver& observer;          // hears of steps and saves; may take its time
  std::filesystem::path journal;    // is written and read back; empty: nothing is journalled
  std::vector<EventSink*> sinks{};  // hear of everything besides; not owned
  std::stop_token stop{};
};

// Without a journal the summary is empty. Throws Error as make_loader() does.
RunSummary run_paced(PacedRunRequest request);

}  // namespace qanat
