// Everything an update changes of one network: weights, their EMA, the accumulated gradient, and
// the optimiser. Belongs to one stream: touched by its work only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "train/flat_parameters.h"
#include "train/optimiser.h"

namespace qanat {

struct TrainedWeights {
  FlatParameters layout;
  std::vector<torch::Tensor> parameters;  // of the network, in the order of the layout
  // Blocks of the layout, f32.
  torch::Tensor weights;
  torch::Tensor ema;       // undefined: nobody needs it
  torch::Tensor gradient;  // summed since the last update
  AdamW optimiser;
  torch::Tensor loss_scale;  // state of a LossScale; used with fp16 only

  torch::Device device() const { return weights.device(); }
};

// Makes networks with `make`. Weights are drawn from libtorch's one generator of the process, so
// threads take turns: with the same seed each run draws the same ones. Without a seed it does not
// matter which.
void draw_weights(std::optional<std::uint64_t> seed, const std::function<void()>& make);

enum class EmaWeights { kept, none };

// Takes over the parameters of `network`, which is on `device`: they are views of the block from
// then on.
TrainedWeights adopt_weights(torch::nn::Module& network,
                             const AdamWOptions& options,
                             torch::Device device,
                             EmaWeights ema);

}  // namespace qanat
