// Makes features on the data device: the waveforms of a batch in, its log-mel out.
//
// Runs on a stream of that device, so it may be called from one thread at a time and must not
// wait for anything. Two implementations: native (HostFeatures) and libtorch (TorchFeatures).
#pragma once

#include <cstddef>
#include <span>

#include "batch/batch.h"

namespace qanat {

// The parts of a batch in one block of device memory.
struct ConstBlockView {
  BatchLayout layout;
  std::span<const std::byte> bytes;
};
struct BlockView {
  BatchLayout layout;
  std::span<std::byte> bytes;
};

class DeviceFeatures {
 public:
  virtual ~DeviceFeatures() = default;

  // `pcm` holds 16-bit waveforms, `mel` has room for the same batch with mel payload. Everything
  // but the payload is carried over as it is; frames behind the end of a row get the padding.
  virtual void extract(const ConstBlockView& pcm, const BlockView& mel) = 0;
};

}  // namespace qanat
