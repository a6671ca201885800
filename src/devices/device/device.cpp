#include "device/device.h"

#include <sys/mman.h>

namespace qanat {
namespace {

// Memory that a device can read without the host's help, pinned up to the limit of the process
// (RLIMIT_MEMLOCK); beyond it pageable, from which copies are only slower.
class PinnedAllocator : public BlockAllocator {
 public:
  std::byte* allocate(std::size_t bytes) override {
    std::byte* block = host_->allocate(bytes);
    // Refused beyond the process's limit; the block is good either way.
    (void)::mlock(block, bytes);
    return block;
  }
  void release(std::byte* block, std::size_t bytes) noexcept override {
    (void)::munlock(block, bytes);
    host_->release(block, bytes);
  }

 private:
  std::unique_ptr<BlockAllocator> host_ = make_host_allocator();
};

}  // namespace

std::unique_ptr<BlockAllocator> Device::pinned_blocks() {
  return std::make_unique<PinnedAllocator>();
}

bool Device::reaches(const Device& /*other*/) const {
  return true;  // all in the host's memory
}

std::unique_ptr<DeviceGraph> DeviceStream::capture(const std::function<void()>& /*work*/) {
  return nullptr;
}

}  // namespace qanat
