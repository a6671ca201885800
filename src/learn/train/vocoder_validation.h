// Validates the EMA weights of a vocoder on clips that are not trained on: copy synthesis, whole
// clips through their own log-mel, or through that which a speech model has predicted for them, as
// they are heard.
#pragma once

#include <vector>

#include <torch/types.h>

#include "device/device.h"
#include "metrics/validation_result.h"
#include "replicas/process_group.h"
#include "train/trained_vocoder.h"

namespace qanat {

struct ValidatedClip {
  std::vector<float> samples;  // full scale 1
  // [frames, mel_bins], as many frames as whole hops: what the generator is fed; empty: the mel of
  // the samples.
  std::vector<float> mel{};
};

class VocoderValidator {
 public:
  // At the rate of `mel`. Clips too short for the widest spectrum are left out.
  VocoderValidator(const MelConfig& mel, const std::vector<ValidatedClip>& clips);

  bool is_empty() const { return clips_.empty(); }
  // As work of `stream`, which the vocoder belongs to; waits for it. Processes of a `group` divide
  // the clips; the result is that of all. Collective then.
  ValidationResult run(TrainedVocoder& vocoder,
                       DeviceStream& stream,
                       ProcessGroup* group = nullptr) const;

 private:
  // In host memory.
  struct Clip {
    torch::Tensor samples;  // f32 [1, samples], whole frames
    torch::Tensor mel;      // f32 [1, mel_bins, frames]; undefined: of the samples
  };

  const MelConfig mel_;
  std::vector<Clip> clips_;
};

}  // namespace qanat
