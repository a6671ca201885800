// Memory that is full when a test says so, as libtorch reports it of a GPU.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include "device/out_of_memory.h"

namespace qanat {

// Whose words a full device is told in: libtorch's allocator's, or our budget's.
enum class FullIn { torch, budget };

// As the allocator of a GPU that is full for a moment: one allocation fails. What the thread that
// made it allocates is the host's, and not counted. Which function is virtual depends on the
// version of libtorch, so none can say override.
class FullAllocator : public c10::Allocator {
 public:
  FullAllocator() : inner_(*c10::GetCPUAllocator()) { c10::SetCPUAllocator(this, kPriority); }
  ~FullAllocator() override { c10::SetCPUAllocator(&inner_, kPriority); }
  FullAllocator(const FullAllocator&) = delete;
  FullAllocator& operator=(const FullAllocator&) = delete;

  c10::DataPtr allocate(std::size_t bytes) { return counted(bytes); }
  c10::DataPtr allocate(std::size_t bytes) const { return counted(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const {
    std::memcpy(to, from, bytes);
  }
  c10::DeleterFnPtr raw_deleter() const override { return inner_.raw_deleter(); }

  mutable std::atomic<int> count = 0;  // of allocations
  std::atomic<int> refused = 0;        // number of the one that fails; 0: none
  std::atomic<FullIn> told_by = FullIn::torch;

 private:
  static constexpr std::uint8_t kPriority = 2;  // above torch_binding's

  c10::DataPtr counted(std::size_t bytes) const {
    if (std::this_thread::get_id() == host_) {
      return inner_.allocate(bytes);
    }
    if (++count == refused) {
      if (told_by == FullIn::budget) {
        throw OutOfMemory({.kind = DeviceKind::cuda},
                          Bytes{static_cast<std::int64_t>(bytes)},
                          Bytes{0},
                          Bytes{0});
      }
      throw c10::OutOfMemoryError({__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)},
                                  "CUDA out of memory");
    }
    return inner_.allocate(bytes);
  }

  c10::Allocator& inner_;
  const std::thread::id host_ = std::this_thread::get_id();
};

// Which allocation to refuse, of `count`: a sample, enough to see that a place was forgotten, or
// with QANAT_EVERY_ALLOCATION=1 each in turn.
inline std::vector<int> allocations_to_refuse(int count) {
  constexpr int kSample = 40;
  const bool all =
      std::getenv("QANAT_EVERY_ALLOCATION") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  std::vector<int> refused;
  for (int i = 1; i <= count; i += all ? 1 : std::max(1, count / kSample)) {
    refused.push_back(i);
  }
  return refused;
}

}  // namespace qanat
