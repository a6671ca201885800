#include "store/scan_access.h"

#include <algorithm>

#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {

Result<Done> ScanAccess::refill(std::int64_t offset, std::int64_t size) const {
  const std::int64_t end = begin_ + std::ssize(bytes_);
  // What is skipped would have been fetched for nothing.
  const std::int64_t gap = std::max(sizes_.gap.value, window_ / 4);
  const bool is_next = !bytes_.empty() && offset >= begin_ && offset - end <= gap;
  window_ = is_next ? std::min(2 * window_, sizes_.most.value) : sizes_.first.value;
  const std::int64_t wanted = std::min(std::max(window_, size), file_->size().value - offset);
  bytes_.resize(static_cast<std::size_t>(wanted));
  begin_ = offset;
  const Result<Done> read = file_->read(Bytes{offset}, bytes_);
  if (!read) {
    bytes_.clear();
  }
  return read;
}

Result<Done> ScanAccess::read(Bytes offset, std::span<std::byte> out) const {
  const std::int64_t size = std::ssize(out);
  const std::int64_t all = file_->size().value;
  if (offset.value < 0 || offset.value > all || size > all - offset.value) {
    return to_failure(msg::container_ends{.offset = ungrouped(offset.value)});
  }
  const std::lock_guard lock(mutex_);
  const bool is_there =
      offset.value >= begin_ && offset.value + size <= begin_ + std::ssize(bytes_);
  if (!is_there) {
    if (const Result<Done> filled = refill(offset.value, size); !filled) {
      return filled;
    }
  }
  std::copy_n(bytes_.begin() + (offset.value - begin_), size, out.begin());
  return Done{};
}

}  // namespace qanat
