// The network and everything an update changes: weights, their EMA, the accumulated gradient, and
// the optimiser. Belongs to one stream: touched by its work only.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "model/xtts_model.h"
#include "train/flat_parameters.h"
#include "train/optimiser.h"

namespace qanat {

struct TrainedModel {
  XttsModel network{nullptr};
  XttsModel ema_network{nullptr};  // the same network with the EMA as its weights
  FlatParameters layout;
  std::vector<torch::Tensor> parameters;  // of `network`, in the order of the layout
  // Blocks of the layout, f32.
  torch::Tensor weights;
  torch::Tensor ema;
  torch::Tensor gradient;  // summed since the last update
  AdamW optimiser;
  torch::Tensor loss_scale;  // state of a LossScale; used with fp16 only

  torch::Device device() const { return weights.device(); }
};

// The first weights depend on `seed` only; made on the CPU, the same for every device. To be
// called on the stream the model belongs to.
TrainedModel make_trained_model(const ModelShape& shape,
                                const AdamWOptions& options,
                                std::uint64_t seed,
                                torch::Device device);

// A network without weights of its own: its parameters are views of `block`.
XttsModel make_view(const ModelShape& shape,
                    const FlatParameters& layout,
                    const torch::Tensor& block);

}  // namespace qanat
