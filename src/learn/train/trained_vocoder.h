// The vocoder while it is trained: the generator, and the discriminators it is trained against.
// Belongs to one stream: touched by its work only.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "checkpoint_files/checkpoint_state.h"
#include "train/trained_weights.h"
#include "vocoder/discriminators.h"
#include "vocoder/generator.h"

namespace qanat {

struct TrainedVocoder {
  TrainedWeights generator;
  TrainedWeights discriminators;  // without an EMA: nobody uses them after the training
  VocoderGenerator network{nullptr};
  VocoderGenerator ema_network{nullptr};  // the same network with the EMA as its weights
  VocoderDiscriminators judges{nullptr};
};

// The first weights depend on `seed` only; made on the CPU, the same for every device. To be
// called on the stream the vocoder belongs to.
TrainedVocoder make_trained_vocoder(const VocoderShape& shape,
                                    const AdamWOptions& options,
                                    std::uint64_t seed,
                                    torch::Device device);

// Between what a user configures, what a checkpoint stores and what the network is made of. `size`
// is none that only the speech model has.
VocoderShape vocoder_shape(ModelSize size, const MelConfig& mel);
VocoderState stored_vocoder(ModelSize size, const VocoderShape& shape);
// The discriminators are those of the size.
VocoderShape to_vocoder_shape(const VocoderState& state);

}  // namespace qanat
