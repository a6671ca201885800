#include "training/run_task.h"

#include <algorithm>

namespace qanat {

std::unique_ptr<RunTask> make_run_task(const RunConfig& config, const TrainInputs& inputs) {
  return trains_vocoder(config.training) ? make_vocoder_run(config, inputs)
                                         : make_speech_run(config, inputs);
}

BatchShape largest_shape(const BucketEdges& edges) {
  const auto cost = [](const BucketEdge& edge) {
    return static_cast<std::int64_t>(edge.rows) * edge.frames;
  };
  return std::ranges::max(edges, {}, cost).shape();
}

}  // namespace qanat
