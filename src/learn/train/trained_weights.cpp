#include "train/trained_weights.h"

#include <mutex>
#include <utility>

#include "train/loss_scale.h"

namespace qanat {

void draw_weights(std::optional<std::uint64_t> seed, const std::function<void()>& make) {
  static std::mutex drawing;
  const std::lock_guard lock(drawing);
  if (seed) {
    torch::manual_seed(*seed);
  }
  make();
}

TrainedWeights adopt_weights(torch::nn::Module& network,
                             const AdamWOptions& options,
                             torch::Device device,
                             EmaWeights ema) {
  const FlatParameters layout(network);
  torch::Tensor weights = layout.adopt(network, device);
  torch::Tensor ema_block = ema == EmaWeights::kept ? weights.clone() : torch::Tensor();
  AdamW optimiser(layout, options, device);
  return {.layout = layout,
          .parameters = layout.parameters(network),
          .weights = std::move(weights),
          .ema = std::move(ema_block),
          .gradient = layout.make_block(device),
          .optimiser = std::move(optimiser),
          .loss_scale = LossScale::make_state({}, device)};
}

}  // namespace qanat
