// DeviceFeatures for models that are trained on samples: the data device makes nothing of them, it
// hands them on. For any device libtorch can copy on.
#pragma once

#include "device/device.h"
#include "transfer/device_features.h"

namespace qanat {

class PassedSamples : public DeviceFeatures {
 public:
  // Outlives it. The memory given to extract() lies on it.
  explicit PassedSamples(const Device& device) : device_(device) {}

  // Both blocks have the same layout.
  void extract(const ConstBlockView& pcm, const BlockView& samples) override;

 private:
  const Device& device_;
};

}  // namespace qanat
