// Samples host and GPUs periodically during a run and journals the readings:
//
//   {"kind":"host","setup":{...},"counters":{...},"cost":0.001}      the first line has the setup
//   {"kind":"devices","setup":{...}} or {"kind":"devices","unknown":"why"}, once
//   {"kind":"devices","samples":[{...}, ...]}                         when there are GPUs
//
// Counters only grow: the difference of two lines gives shares of the time between. `cost` is the
// total time of all samples so far, in seconds.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <thread>

#include "base/time.h"
#include "metrics/journal.h"
#include "monitor/nvml_probe.h"

namespace qanat {

struct MonitorOptions {
  Seconds every{2};
  std::filesystem::path data{};  // whose file system is named; may be empty
  std::filesystem::path root = "/";
  NvmlOptions nvml{};
};

class ResourceMonitor {
 public:
  // Starts a thread that takes its first sample at once. `journal` outlives the monitor.
  ResourceMonitor(MonitorOptions options, EventSink& journal);
  ResourceMonitor(const ResourceMonitor&) = delete;
  ResourceMonitor& operator=(const ResourceMonitor&) = delete;
  // Takes a last sample, so that even a short run has two. Waits for a sample in progress: some
  // milliseconds, or NVML's timeout when a GPU is lost.
  ~ResourceMonitor() = default;

 private:
  void watch(const std::stop_token& stop);
  void look(NvmlProbe& gpus);

  const MonitorOptions options_;
  EventSink& journal_;
  Seconds cost_{0};  // of the thread
  bool first_ = true;
  std::mutex mutex_;  // guards nothing: the thread waits on it
  std::condition_variable_any woken_;
  std::jthread thread_;  // last: the others are there as long as it runs
};

}  // namespace qanat
