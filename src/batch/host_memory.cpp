#include "batch/host_memory.h"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

namespace qanat {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

std::size_t page_rounded(std::size_t bytes) {
  return round_up(bytes, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

std::byte* map(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

// Maps more than is needed and returns what does not lie between two huge page boundaries.
std::byte* map_aligned(std::size_t bytes) {
  std::byte* whole = map(bytes + kHugePage);
  if (whole == nullptr) {
    return nullptr;
  }
  const std::size_t before = round_up(reinterpret_cast<std::uintptr_t>(whole), kHugePage) -
                             reinterpret_cast<std::uintptr_t>(whole);
  std::byte* memory = whole + before;
  if (before > 0) {
    ::munmap(whole, before);
  }
  ::munmap(memory + bytes, kHugePage - before);
  return memory;
}

}  // namespace

std::byte* map_host_memory(std::size_t bytes, const char* purpose) {
  const std::size_t size = page_rounded(bytes);
  const bool huge = size >= kHugePage;
  std::byte* memory = huge ? map_aligned(size) : map(size);
  if (memory == nullptr) {
    throw Error("memory for {}: {} bytes: {}", purpose, bytes, std::strerror(errno));
  }
  if (huge) {
    // Complete huge pages only: a partial one would make unused memory resident. This is advice: a
    // kernel without huge pages may ignore or refuse it.
    (void)::madvise(memory, size / kHugePage * kHugePage, MADV_HUGEPAGE);
  }
  return memory;
}

void unmap_host_memory(std::byte* memory, std::size_t bytes) noexcept {
  ::munmap(memory, page_rounded(bytes));
}

}  // namespace qanat
