#include "device/memory_budget.h"

#include "device/out_of_memory.h"

namespace qanat {
namespace {

void raise_to(std::atomic<std::int64_t>& mark, std::int64_t value) {
  std::int64_t seen = mark.load();
  while (seen < value && !mark.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace

void MemoryBudget::charge(Bytes bytes) {
  std::int64_t used = used_.load();
  do {
    if (limit_ && used + bytes.value > limit_->value) {
      ++refusals_;
      throw OutOfMemory(device_, bytes, Bytes{used}, *limit_);
    }
  } while (!used_.compare_exchange_weak(used, used + bytes.value));
  ++allocations_;
  raise_to(peak_, used + bytes.value);
  raise_to(high_water_, used + bytes.value);
}

void MemoryBudget::release(Bytes bytes) noexcept {
  used_ -= bytes.value;
}

void MemoryBudget::reset_peak() noexcept {
  peak_ = used_.load();
}

MemoryUse MemoryBudget::use() const {
  return {.limit = limit_,
          .used = Bytes{used_.load()},
          .peak = Bytes{peak_.load()},
          .high_water = Bytes{high_water_.load()},
          .refusals = refusals_.load(),
          .allocations = allocations_.load()};
}

}  // namespace qanat
