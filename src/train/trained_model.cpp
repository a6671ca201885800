#include "train/trained_model.h"

#include <utility>

#include "train/loss_scale.h"

namespace qanat {

XttsModel make_view(const ModelShape& shape,
                    const FlatParameters& layout,
                    const torch::Tensor& block) {
  XttsModel network(shape);
  network->to(block.device());
  layout.attach(*network, block);
  network->eval();
  return network;
}

TrainedModel make_trained_model(const ModelShape& shape,
                                const AdamWOptions& options,
                                std::uint64_t seed,
                                torch::Device device) {
  // The EMA network first, so that the trained weights are initialised right after the seed is set.
  XttsModel ema_network(shape);
  torch::manual_seed(seed);
  XttsModel network(shape);
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
