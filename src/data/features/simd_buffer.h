// Floats that begin on a cache line, zero at first. A value: copies copy.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace qanat {

template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <typename U>
  explicit CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* block, std::size_t) { ::operator delete(block, kAlignment); }

  friend bool operator==(CacheLineAllocator, CacheLineAllocator) { return true; }
};

using SimdBuffer = std::vector<float, CacheLineAllocator<float>>;

}  // namespace qanat
