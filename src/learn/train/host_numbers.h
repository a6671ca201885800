// Numbers of an update in host memory that the device writes without the host's help. Owns a block
// of a pool, which stays alive as long as any of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "batch/block_pool.h"

namespace qanat {

class HostNumbers {
 public:
  explicit HostNumbers(std::shared_ptr<BlockPool> pool)
      : pool_(std::move(pool)), block_(pool_->borrow()) {}
  HostNumbers(const HostNumbers&) = delete;
  HostNumbers& operator=(const HostNumbers&) = delete;
  ~HostNumbers() { pool_->give_back(block_); }

  std::span<std::byte> bytes() { return {block_, pool_->block_bytes()}; }
  double operator[](std::size_t i) const {
    return static_cast<double>(reinterpret_cast<const float*>(block_)[i]);
  }

 private:
  const std::shared_ptr<BlockPool> pool_;  // shared with whoever else borrows from it
  std::byte* const block_;
};

}  // namespace qanat
