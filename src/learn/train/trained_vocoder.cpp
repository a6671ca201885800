#include "train/trained_vocoder.h"

#include <utility>

namespace qanat {
namespace {

VocoderPreset to_vocoder_preset(ModelSize size) {
  switch (size) {
    case ModelSize::nano:
      return VocoderPreset::nano;
    case ModelSize::tiny:
      return VocoderPreset::tiny;
    case ModelSize::small:
      return VocoderPreset::small;
    case ModelSize::normal:
    case ModelSize::big:
      return VocoderPreset::normal;
  }
  return VocoderPreset::tiny;
}

}  // namespace

TrainedVocoder make_trained_vocoder(const VocoderShape& shape,
                                    const AdamWOptions& options,
                                    std::uint64_t seed,
                                    torch::Device device) {
  VocoderGenerator ema_network{nullptr};
  VocoderGenerator network{nullptr};
  VocoderDiscriminators judges{nullptr};
  draw_weights(seed, [&] {
    network = VocoderGenerator(shape);
    judges = VocoderDiscriminators(shape.discriminators);
    ema_network = VocoderGenerator(shape);
  });
  network->to(device);
  ema_network->to(device);
  judges->to(device);
  TrainedWeights generator = adopt_weights(*network, options, device, EmaWeights::kept);
  TrainedWeights discriminators = adopt_weights(*judges, options, device, EmaWeights::none);
  generator.layout.attach(*ema_network, generator.ema);
  ema_network->eval();
  return {.generator = std::move(generator),
          .discriminators = std::move(discriminators),
          .network = network,
          .ema_network = ema_network,
          .judges = judges};
}

VocoderShape vocoder_shape(ModelSize size, const MelConfig& mel) {
  return vocoder_shape(to_vocoder_preset(size), mel);
}

VocoderState stored_vocoder(ModelSize size, const VocoderShape& shape) {
  return {.size = size,
          .width = shape.width,
          .ffn = shape.ffn,
          .blocks = shape.blocks,
          .kernel = shape.kernel,
          .refinements = shape.refinements,
          .mel_mean = shape.mel_mean,
          .mel_std = shape.mel_std,
          .mel = shape.mel};
}

VocoderShape to_vocoder_shape(const VocoderState& state) {
  VocoderShape shape = vocoder_shape(state.size, state.mel);
  shape.width = state.width;
  shape.ffn = state.ffn;
  shape.blocks = state.blocks;
  shape.kernel = state.kernel;
  shape.refinements = state.refinements;
  shape.mel_mean = state.mel_mean;
  shape.mel_std = state.mel_std;
  return shape;
}

}  // namespace qanat
