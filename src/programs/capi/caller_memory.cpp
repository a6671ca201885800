#include "capi/caller_memory.h"

#include <cstddef>
#include <cstdint>

#include "batch/batch.h"
#include "locale/message_error.h"
#include "locale/messages/speech_errors.h"

namespace qanat {
namespace {

static_assert(QANAT_ALIGNMENT == kBlockAlignment);

class CallerAllocator final : public BlockAllocator {
 public:
  explicit CallerAllocator(const qanat_allocator& memory) : memory_(memory) {}

  std::byte* allocate(std::size_t bytes) override {
    void* block = has_ended() ? nullptr : memory_.allocate(memory_.context, bytes);
    if (block == nullptr) {
      throw MessageError(msg::capi_no_memory{.bytes = static_cast<std::int64_t>(bytes)});
    }
    if (reinterpret_cast<std::uintptr_t>(block) % kBlockAlignment != 0) {
      memory_.release(memory_.context, block, bytes);
      throw MessageError(
          msg::capi_misaligned{.multiple = static_cast<std::int64_t>(kBlockAlignment)});
    }
    return static_cast<std::byte*>(block);
  }
  void release(std::byte* block, std::size_t bytes) noexcept override {
    if (!has_ended()) {
      memory_.release(memory_.context, block, bytes);
    }
  }

 private:
  bool has_ended() const {
    return memory_.ended != nullptr && __atomic_load_n(memory_.ended, __ATOMIC_ACQUIRE) != 0;
  }

  const qanat_allocator memory_;
};

}  // namespace

std::function<std::unique_ptr<BlockAllocator>()> make_blocks_of(const qanat_allocator* memory) {
  if (memory == nullptr) {
    return {};
  }
  return [copied = *memory] { return std::make_unique<CallerAllocator>(copied); };
}

}  // namespace qanat
