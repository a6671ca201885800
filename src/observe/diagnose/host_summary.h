// What the journal says of host and GPUs between the first and the last step, in bounded memory:
// the samples of monitor/resource_monitor.h, added up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "metrics/journal_event.h"
#include "monitor/gpu_sample.h"
#include "monitor/host_counters.h"
#include "monitor/host_setup.h"
#include "monitor/neighbours.h"

namespace qanat {

// What threads had run and waited for a core, when so many steps of the session had ended.
struct ThreadsAtStep {
  std::int64_t steps = 0;
  Reading<std::vector<ThreadClock>> threads{};
};

// When the steps of a run were made, in s of the journal.
struct TrainingTime {
  bool has_steps = false;
  std::optional<double> began{};  // the first one; absent: not known
  std::optional<double> ended{};  // the last one so far
};

struct HostSummary {
  struct Sample {
    HostCounters counters{};
    double at = 0;
    double cost = 0;
  };

  HostSetup setup{};
  HostCounters first{};
  HostCounters last{};
  double first_at = 0;  // s of the journal
  double last_at = 0;
  int samples = 0;
  // s between the samples in which the process started, or was about to end: that is no training.
  double starting = 0;
  double ending = 0;
  std::optional<Sample>
      after_start{};  // the first sample after a step, while it may become `first`
  std::vector<ThreadsAtStep> course{};  // the samples in between, thinned out in a long run
  double cost = 0;                      // s that sampling took up to the last sample
  double cost_first = 0;                // up to the first one
  // Cores that other ranks of the run kept busy on this machine: they are no company.
  Reading<double> other_ranks = 0.0;

  double seconds() const { return last_at - first_at; }
  // The share of the time between that was spent on sampling.
  Reading<double> cost_share() const;
  // What other programs took of the machine.
  Reading<Neighbours> neighbours() const;
  // How much a counter grew, or why that is not known.
  Reading<double> growth(Reading<double> HostCounters::*counter) const;
  // The same as a share of the time between.
  Reading<double> share(Reading<double> HostCounters::*counter) const;
  // What threads did between the first and the last sample.
  Reading<std::vector<ThreadClock>> threads() const;

 private:
  // Why there are no shares of the time between; empty: there are.
  std::string too_short() const;
};

// What a GPU was seen to do.
struct GpuHistory {
  int samples = 0;
  int busy = 0;                         // of these: a kernel was there
  std::map<ClockLimit, int> limited{};  // of the busy ones
  double clock_limited = 0;             // Hz, sum over busy samples that were limited
  double clock_free = 0;                // Hz, sum over the other busy ones
  int num_limited = 0;
  int num_free = 0;
  double link_gen = 0;  // best seen while busy
  double link_width = 0;
  double memory_most = 0;  // bytes
  double resident = 0;     // sum of the shares of time with a kernel, since the first step
  int num_resident = 0;    // of these
  std::vector<double> xids{};
  bool lost = false;
  GpuSample first{};
  GpuSample last{};
};

struct GpuSummary {
  Reading<GpuSetup> setup{};
  std::vector<GpuHistory> gpus{};  // as in the setup
  std::string silent{};            // why NVML stopped answering; empty: it did not
};

// Samples before the first step only move the beginning; those long after the last one do not
// count, unless another step follows.
// False when the sample is damaged.
bool add_sample(const HostSample& sample,
                std::optional<Seconds> at,
                const TrainingTime& training,
                std::optional<HostSummary>& summary);
bool add_samples(const GpuSamples& seen, bool has_steps, std::optional<GpuSummary>& summary);

}  // namespace qanat
