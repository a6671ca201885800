#include "train/trained_model.h"

#include <mutex>
#include <optional>
#include <utility>

#include "train/loss_scale.h"

namespace qanat {
namespace {

// Weights are drawn from libtorch's one generator of the process, so threads take turns: with the
// same seed each run draws the same weights.
XttsModel make_network(const ModelShape& shape, std::optional<std::uint64_t> seed = {}) {
  static std::mutex drawing;
  const std::lock_guard lock(drawing);
  if (seed) {
    torch::manual_seed(*seed);
  }
  return XttsModel(shape);
}

}  // namespace

XttsModel make_view(const ModelShape& shape,
                    const FlatParameters& layout,
                    const torch::Tensor& block) {
  XttsModel network = make_network(shape);
  network->to(block.device());
  layout.attach(*network, block);
  network->eval();
  return network;
}

TrainedModel make_trained_model(const ModelShape& shape,
                                const AdamWOptions& options,
                                std::uint64_t seed,
                                torch::Device device) {
  XttsModel ema_network = make_network(shape);
  XttsModel network = make_network(shape, seed);
  network->to(device);
  ema_network->to(device);
  FlatParameters layout(*network);
  torch::Tensor weights = layout.adopt(*network, device);
  torch::Tensor ema = weights.clone();
  layout.attach(*ema_network, ema);
  ema_network->eval();
  AdamW optimiser(layout, options, device);
  return {.network = network,
          .ema_network = ema_network,
          .layout = layout,
          .parameters = layout.parameters(*network),
          .weights = std::move(weights),
          .ema = std::move(ema),
          .gradient = layout.make_block(device),
          .optimiser = std::move(optimiser),
          .loss_scale = LossScale::make_state({}, device)};
}

}  // namespace qanat
