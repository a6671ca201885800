// Validates the EMA weights of a vocoder on clips that are not trained on: copy synthesis, whole
// clips through their own log-mel, as they are heard.
#pragma once

#include <vector>

#include <torch/types.h>

#include "device/device.h"
#include "metrics/validation_result.h"
#include "replicas/process_group.h"
#include "train/trained_vocoder.h"

namespace qanat {

class VocoderValidator {
 public:
  // Samples of every clip, full scale 1, at the rate of `mel`. Those too short for the widest
  // spectrum are left out.
  VocoderValidator(const MelConfig& mel, const std::vector<std::vector<float>>& clips);

  bool is_empty() const { return clips_.empty(); }
  // As work of `stream`, which the vocoder belongs to; waits for it. Processes of a `group` divide
  // the clips; the result is that of all. Collective then.
  ValidationResult run(TrainedVocoder& vocoder,
                       DeviceStream& stream,
                       ProcessGroup* group = nullptr) const;

 private:
  const MelConfig mel_;
  std::vector<torch::Tensor> clips_;  // f32 [1, samples] in host memory, whole frames
};

}  // namespace qanat
