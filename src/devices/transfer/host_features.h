// DeviceFeatures with the native MelExtractor: for virtual GPUs and the CPU. To the bit what the
// loader's workers make of the same samples.
#pragma once

#include "features/mel_extractor.h"
#include "transfer/device_features.h"

namespace qanat {

class HostFeatures : public DeviceFeatures {
 public:
  explicit HostFeatures(const MelConfig& config) : extractor_(config) {}

  void extract(const ConstBlockView& pcm, const BlockView& mel) override;

 private:
  MelExtractor extractor_;
};

// Copies everything of a batch but its payload and the lengths in samples, which mel has none of.
void carry_over(const ConstBlockView& pcm, const BlockView& mel);

}  // namespace qanat
