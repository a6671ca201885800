#include "session/run_event.h"

#include <utility>

#include "device/cuda/cuda_device.h"
#include "monitor/host_facts.h"

namespace qanat {

RunStart run_start(const RunConfig& config, const RunFacts& facts) {
  const TrainingConfig& training = config.training;
  RunStart start{.mode = std::string(to_string(facts.mode)),
                 .device = facts.device,
                 .last_step = facts.last_step,
                 .allowed_cores = allowed_cores(read_host_share()),
                 .uses_of_batch = facts.uses_of_batch,
                 .bucket_edges = config.pipeline.bucket_edges,
                 .prefetch_to_gpu = config.data.prefetch_to_gpu,
                 .pinned = config.data.enhanced_gpu_prefetch,
                 .cadences = {{"training.save_every", training.save_every},
                              {"training.validate_every", training.validate_every},
                              {"training.render_every", training.render_every},
                              {"batches of an epoch", facts.batches_per_epoch}}};
  if (facts.world > 1) {
    start.rank = facts.rank;
    start.world = facts.world;
    start.host = facts.host;
    start.exchange = facts.exchange;
  }
  if (training.log_every) {
    start.cadences["training.log_every"] = *training.log_every;
  }
  return start;
}

std::vector<CudaDeviceUsed> cuda_devices(const RunDevices& devices) {
  std::vector<CudaDeviceUsed> used;
  for (const Device* const device : {devices.model.get(), devices.data.get()}) {
    const auto* const gpu = dynamic_cast<const CudaDevice*>(device);
    if (gpu != nullptr) {
      used.push_back({.device = to_string(gpu->id()),
                      .name = gpu->facts().name,
                      .bus_id = gpu->facts().bus_id,
                      .uuid = gpu->facts().uuid});
    }
  }
  return used;
}

}  // namespace qanat
