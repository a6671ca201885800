// DeviceFeatures with libtorch's operations: for any device libtorch can compute on.
//
// The same mel as the native extractor's (features/mel_extractor.h) up to rounding: at most 2e-3
// apart, 1e-5 on average. Rows are done a few at a time, so that the spectra of a large batch need
// not exist at once.
#pragma once

#include <memory>

#include "device/device.h"
#include "features/mel_config.h"
#include "transfer/device_features.h"

namespace qanat {

class TorchFeatures : public DeviceFeatures {
 public:
  // The memory given to extract() lies on `device`. Throws Error when `config` has problems() or
  // is of another kind than the default.
  TorchFeatures(const MelConfig& config, const Device& device);
  TorchFeatures(const TorchFeatures&) = delete;
  TorchFeatures& operator=(const TorchFeatures&) = delete;
  ~TorchFeatures() override;

  void extract(const ConstBlockView& pcm, const BlockView& mel) override;

 private:
  struct Tables;  // keeps libtorch out of this header
  std::unique_ptr<Tables> tables_;
};

}  // namespace qanat
