// A block allocator for tests: makes its first block at once and the others when it is allowed to.
#pragma once

#include <latch>
#include <memory>

#include "batch/block_pool.h"

namespace qanat {

struct Hesitation {
  std::latch asked{1};    // for a second block
  std::latch allowed{1};  // to make it
};

class HesitantAllocator final : public BlockAllocator {
 public:
  explicit HesitantAllocator(Hesitation& hesitation) : hesitation_(hesitation) {}

  std::byte* allocate(std::size_t bytes) override {
    if (++made_ == 2) {
      hesitation_.asked.count_down();
    }
    if (made_ >= 2) {
      hesitation_.allowed.wait();
    }
    return host_->allocate(bytes);
  }
  void release(std::byte* block, std::size_t bytes) noexcept override {
    host_->release(block, bytes);
  }

 private:
  Hesitation& hesitation_;
  std::unique_ptr<BlockAllocator> host_ = make_host_allocator();
  int made_ = 0;
};

}  // namespace qanat
