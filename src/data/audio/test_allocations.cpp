#include "audio/test_allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): operator new has no `this`
std::atomic<int> allocations = 0;

}  // namespace

// In a separate file: where the compiler sees both new and delete, it warns that malloc and free
// do not match them.
void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* block = std::malloc(size)) {
    return block;
  }
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t /*size*/) noexcept {
  std::free(block);
}

namespace qanat {

int num_allocations() {
  return allocations.load();
}

}  // namespace qanat
