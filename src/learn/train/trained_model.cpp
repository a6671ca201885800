#include "train/trained_model.h"

#include <optional>
#include <utility>

namespace qanat {
namespace {

XttsModel make_network(const ModelShape& shape, std::optional<std::uint64_t> seed = {}) {
  XttsModel network{nullptr};
  draw_weights(seed, [&] { network = XttsModel(shape); });
  return network;
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
  TrainedWeights weights = adopt_weights(*network, options, device, EmaWeights::kept);
  weights.layout.attach(*ema_network, weights.ema);
  ema_network->eval();
  return {std::move(weights), network, ema_network};
}

}  // namespace qanat
