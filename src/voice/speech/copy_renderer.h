// Speaks the same clips again and again while a vocoder is trained, each from its own log-mel, or
// from that which a speech model has predicted for it: the `render` of a Trainer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "checkpoint_files/checkpoint_state.h"
#include "features/mel_extractor.h"
#include "speech/evaluation_renderer.h"

namespace qanat {

struct RenderedClip {
  std::string id;
  std::vector<float> samples;  // of the recording, full scale 1
  std::vector<float> mel{};    // [frames, mel_bins], to be spoken; empty: that of the samples
};

// For one thread at a time.
class CopyRenderer {
 public:
  CopyRenderer(const VocoderState& state,
               std::vector<RenderedClip> clips,
               std::filesystem::path folder);

  // Writes folder/step-000001000/sentence-1.wav, .png, ... with these weights, and the recordings
  // into folder.
  EvaluationRender render(std::int64_t step, const TensorMap& weights);

 private:
  const VocoderState state_;
  const std::vector<RenderedClip> clips_;
  const std::filesystem::path folder_;
  MelExtractor extractor_;
};

}  // namespace qanat
