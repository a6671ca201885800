#include "monitor/resource_monitor.h"

#include <utility>

#include "base/error.h"
#include "base/thread.h"
#include "monitor/host_counters.h"
#include "monitor/host_setup.h"

namespace qanat {

ResourceMonitor::ResourceMonitor(MonitorOptions options, EventSink& journal)
    : options_(std::move(options)),
      journal_(journal),
      thread_(start_thread("monitor", [this](const std::stop_token& stop) { watch(stop); })) {}

void ResourceMonitor::look(NvmlProbe& gpus) {
  const Clock::time_point begin = Clock::now();
  HostSample host;
  if (first_) {
    host.setup = to_json(read_host_setup(options_.root, options_.data));
    journal_.record(gpus.setup() ? GpuSamples{.setup = to_json(*gpus.setup())}
                                 : GpuSamples{.unknown = gpus.setup().why_not()});
  }
  if (gpus.setup()) {
    const Reading<std::vector<GpuSample>> samples = gpus.sample();
    journal_.record(samples ? GpuSamples{.samples = to_json(*samples)}
                            : GpuSamples{.silent = samples.why_not()});
  }
  // Last: the journal stamps the line with the time at which counters were read.
  host.counters =
      to_json(read_host_counters(options_.root), first_ ? Reasons::written : Reasons::left_out);
  first_ = false;
  cost_ += seconds_since(begin);
  host.cost = cost_.count();
  journal_.record(host);
}

void ResourceMonitor::watch(const std::stop_token& stop) {
  try {
    NvmlProbe gpus(options_.nvml);
    std::unique_lock lock(mutex_);
    Clock::time_point next = Clock::now();
    const auto never = [] { return false; };
    do {
      look(gpus);
      next += std::chrono::duration_cast<Clock::duration>(options_.every);
      next = std::max(next, Clock::now());
      woken_.wait_until(lock, stop, next, never);
    } while (!stop.stop_requested());
    look(gpus);
  } catch (const Error&) {
    // The journal cannot be written. The thread that journals the steps reports it and ends the
    // run.
  }
}

}  // namespace qanat
