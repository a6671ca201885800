// What the tests of the CUDA backend share: devices on a scripted GPU, and bytes to look at.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "device/cuda/cuda_device.h"
#include "device/cuda/fake_cuda.h"

namespace qanat::cuda_testing {

inline constexpr Bytes kBlock{64};

struct Machine {
  explicit Machine(const FakeCudaScript& script)
      : fake(std::make_shared<FakeCuda>(script)), blocks(std::make_shared<CudaBlocks>()) {}

  std::unique_ptr<CudaDevice> device(int index, std::optional<Bytes> limit = {}) const {
    return std::make_unique<CudaDevice>(
        CudaDeviceOptions{.id = {.kind = DeviceKind::cuda, .index = index},
                          .memory_limit = limit,
                          .runtime = fake,
                          .blocks = blocks});
  }

  std::shared_ptr<FakeCuda> fake;  // shared with its devices
  std::shared_ptr<CudaBlocks> blocks;
};

// A kernel that fills memory.
inline void fill(FakeCuda& fake, DeviceStream& stream, DeviceMemory& memory, int value) {
  stream.submit([&fake, bytes = memory.bytes(), value] {
    fake.launch([bytes, value] { std::ranges::fill(bytes, static_cast<std::byte>(value)); });
  });
}

inline bool all_are(std::span<const std::byte> bytes, int value) {
  return std::ranges::all_of(bytes,
                             [value](std::byte b) { return b == static_cast<std::byte>(value); });
}

}  // namespace qanat::cuda_testing
