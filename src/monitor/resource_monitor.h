// Looks at host and GPUs every so often while a run goes on, and journals what it sees:
//
//   {"kind":"host","setup":{...},"counters":{...},"cost":0.001}      the first line has the setup
//   {"kind":"devices","setup":{...}} or {"kind":"devices","unknown":"why"}, once
//   {"kind":"devices","samples":[{...}, ...]}                         when there are GPUs
//
// Counters only grow: two lines make shares of the time between. `cost` is the time all looks
// together have taken so far, in seconds.
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
  // Starts a thread that looks at once. `journal` outlives the monitor.
  ResourceMonitor(MonitorOptions options, EventSink& journal);
  ResourceMonitor(const ResourceMonitor&) = delete;
  ResourceMonitor& operator=(const ResourceMonitor&) = delete;
  // Looks once more, so that even a short run has two; waits for a look that is under way, which
  // takes milliseconds, and as long as NVML may take when a GPU is lost.
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
