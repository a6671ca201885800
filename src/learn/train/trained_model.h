// The speech model while it is trained. Belongs to one stream: touched by its work only.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "model/xtts_model.h"
#include "train/trained_weights.h"

namespace qanat {

struct TrainedModel : TrainedWeights {
  XttsModel network{nullptr};
  XttsModel ema_network{nullptr};  // the same network with the EMA as its weights
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
