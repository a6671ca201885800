#include "session/pipeline_reading.h"

#include <algorithm>
#include <string>

namespace qanat {
namespace {

DeviceUse use_of(const Device& device, std::string role) {
  const DeviceStats stats = device.stats();
  const MemoryUse memory = device.memory().use();
  return {.role = std::move(role),
          .name = to_string(device.id()),
          .busy = stats.busy,
          .copying = stats.copying,
          .copied = stats.copied,
          .host_waits = stats.host_waits,
          .memory = memory.used,
          .most_memory = memory.high_water,
          .memory_limit = memory.limit};
}

}  // namespace

PipelineStats read_pipeline(const Loader& loader,
                            const TransferRing& ring,
                            const RunDevices& devices) {
  PipelineStats stats = loader.stats();
  stats.process = read_process_usage();
  const RingStats ring_stats = ring.stats();
  stats.ring = RingUse{.slots = ring_stats.slots,
                       .ready = ring_stats.ready.occupancy,
                       .starved = ring_stats.ready.pop_wait,
                       .free_wait = ring_stats.free.pop_wait};
  stats.devices.push_back(use_of(*devices.model, "model"));
  if (devices.data != nullptr) {
    stats.devices.push_back(use_of(*devices.data, "data"));
  }
  return stats;
}

bool ReadingSchedule::is_due(Clock::time_point now) {
  if (now < due_) {
    return false;
  }
  due_ = now + std::clamp((now - start_) / kPerAge, kShortest, kLongest);
  return true;
}

}  // namespace qanat
