// A vocoder that `qanat train --task vocoder` has trained: the generator of its checkpoints, with
// the averaged weights.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "checkpoint_files/checkpoint_state.h"
#include "speech/vocoder.h"
#include "vocoder/generator.h"

namespace qanat {

class Vocos : public Vocoder {
 public:
  // Throws Error naming the first tensor that is missing, of another shape, or unknown.
  Vocos(const VocoderState& state, const TensorMap& weights);

  std::string name() const override { return "vocos"; }
  const MelConfig& mel() const override { return generator_->shape().mel; }
  std::optional<int> context() const override;
  std::vector<float> synthesise(std::span<const float> log_mel) override;

 private:
  VocoderGenerator generator_{nullptr};
  PhaseRefiner refiner_;
};

struct OpenedVocos {
  std::unique_ptr<Vocoder> vocoder;
  std::filesystem::path folder;  // of the checkpoint
};

// Whether it is a checkpoint or a folder of some, of whatever model.
bool has_checkpoints(const std::filesystem::path& folder);

// What a checkpoint of a vocoder holds, before a network is made of it.
struct VocosWeights {
  VocoderState state;
  TensorMap weights;             // averaged
  std::filesystem::path folder;  // of the checkpoint
};
VocosWeights load_vocos(const std::filesystem::path& folder);

// One checkpoint, or of a folder of them the best, or the latest where none is the best. Throws
// Error when none is whole, or they are of another model.
OpenedVocos open_vocos(const std::filesystem::path& folder);

}  // namespace qanat
