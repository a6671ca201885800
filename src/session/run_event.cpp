#include "session/run_event.h"

#include <utility>

#include "monitor/host_facts.h"

namespace qanat {

Event run_event(const RunConfig& config, const RunFacts& facts) {
  const TrainingConfig& training = config.training;
  nlohmann::json cadences{{"training.save_every", training.save_every},
                          {"training.validate_every", training.validate_every},
                          {"training.render_every", training.render_every},
                          {"batches of an epoch", facts.batches_per_epoch}};
  if (training.log_every) {
    cadences["training.log_every"] = *training.log_every;
  }
  return {.kind = "run",
          .fields = {{"mode", to_string(facts.mode)},
                     {"device", facts.device},
                     {"last_step", facts.last_step},
                     {"allowed_cores", allowed_cores(read_host_facts())},
                     {"uses_of_batch", facts.uses_of_batch},
                     {"bucket_edges", config.pipeline.bucket_edges},
                     {"prefetch_to_gpu", config.data.prefetch_to_gpu},
                     {"pinned", config.data.enhanced_gpu_prefetch},
                     {"cadences", std::move(cadences)}}};
}

}  // namespace qanat
