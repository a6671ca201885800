// Faults that are injected on purpose, to see whether diagnosis finds them.
//
// Only `qanat selftest`, the slow storage of `qanat demo` and tests plant any: the seams they use
// (LoaderRequest::around_source, the observer of a run, the link of a device, other threads and
// processes) are empty in every other run. Nothing here is random: the same rows are slow in every
// run.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "base/time.h"
#include "pipeline/row_source.h"
#include "train/train_observer.h"

namespace qanat {

// What happens to a row besides what it needs. All of it is off by default.
struct RowFaults {
  Seconds read{0};        // it waits that long, as for a slow disk
  Seconds compute{0};     // and computes that long
  Seconds locked{0};      // and holds a lock that all workers share that long
  int slow_every = 0;     // every so many utterances, one
  Seconds slow{0};        // waits that long besides
  int burst = 0;          // rows: stretches of that length are slow or not, one in two
  Seconds burst_read{0};  // for a row of a slow stretch
  int pages = 0;          // of a file that are not in memory, and are needed
  double quota = 1;       // of all time that workers may run, as a container's quota allows
  bool any() const;
};

// Rows as before, but slower.
std::unique_ptr<RowSource> with_faults(std::unique_ptr<RowSource> rows, const RowFaults& faults);

// What the host does between steps instead of feeding the device.
struct HostStalls {
  std::int64_t save_every = 0;  // steps; 0: never
  Seconds save{0};
  std::int64_t log_every = 0;
  Seconds log{0};
};

// Stalls where a trainer saves and logs.
class StallingObserver final : public TrainObserver {
 public:
  explicit StallingObserver(const HostStalls& stalls) : stalls_(stalls) {}

  void on_step(const StepRecord& record) override;
  void on_save(std::int64_t step) override;

 private:
  const HostStalls stalls_;
};

// Threads of this process that do nothing but take processor time, until destroyed.
class SpinningThreads {
 public:
  explicit SpinningThreads(int count);

 private:
  std::vector<std::jthread> threads_;
};

// Processes that do the same. They end with this object and, should it be killed, by themselves
// after `lifetime`.
class SpinningProcesses {
 public:
  SpinningProcesses(int count, Seconds lifetime);
  SpinningProcesses(const SpinningProcesses&) = delete;
  SpinningProcesses& operator=(const SpinningProcesses&) = delete;
  ~SpinningProcesses();

 private:
  std::vector<pid_t> processes_;
};

}  // namespace qanat
