// Loader, ring, devices and process in one reading, as the journal keeps it.
//
// A run journals one now and then while it goes on, and one at its end: a run that is killed, or
// that has not ended, can be diagnosed too.
#pragma once

#include "base/time.h"
#include "metrics/pipeline_stats.h"
#include "pipeline/loader.h"
#include "session/run_devices.h"
#include "transfer/transfer_ring.h"

namespace qanat {

// Takes a fraction of a millisecond.
PipelineStats read_pipeline(const Loader& loader,
                            const TransferRing& ring,
                            const RunDevices& devices);

// When the next reading is due: often in a young run, every ten seconds in an old one. For one
// thread.
class ReadingSchedule {
 public:
  explicit ReadingSchedule(Clock::time_point start) : start_(start), due_(start + kShortest) {}

  bool is_due(Clock::time_point now);

 private:
  static constexpr Clock::duration kShortest = std::chrono::milliseconds(200);
  static constexpr Clock::duration kLongest = std::chrono::seconds(10);
  static constexpr int kPerAge = 16;

  const Clock::time_point start_;
  Clock::time_point due_;
};

}  // namespace qanat
