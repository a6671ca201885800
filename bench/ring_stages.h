// A ring whose stages take known times: waits for a timer on the streams, no computing, so that
// the figures do not depend on how many cores there are.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "transfer/device_batch.h"

namespace qanat {

// Gone for that long, as a device would be; takes no core.
void occupy(Seconds time);

// What one batch took.
struct StageTimes {
  Seconds prepare{0};
  Seconds copy{0};
  Seconds train{0};
};

// The timelines of the batches that went through a Multi-GPU ring of so many slots, in order.
std::vector<SlotTimes> run_stages(const std::vector<StageTimes>& stages, int slots);

// From the end of one step to that of the next, without the first `warm_up` of them: the median.
Seconds steady_step(const std::vector<SlotTimes>& times, std::size_t warm_up);
// The median durations of the stages, as they were recorded: a timer of a busy machine is late.
StageTimes median_stages(const std::vector<SlotTimes>& times);
// From the end of the first step to that of the last.
Seconds whole_run(const std::vector<SlotTimes>& times);

// The durations that were recorded, and how long a ring of so many slots takes for them: each stage
// begins when its input is there, the stage before it is free, and the slot was given back.
std::vector<StageTimes> recorded(const std::vector<SlotTimes>& times);
Seconds replay(const std::vector<StageTimes>& stages, int slots);

// `count` batches of constant stages, or with lognormal ones of the same means.
std::vector<StageTimes> constant_stages(const StageTimes& mean, int count);
std::vector<StageTimes> uneven_stages(const StageTimes& mean,
                                      double variation,
                                      int count,
                                      std::uint32_t seed);

}  // namespace qanat
