#include "archive/stored_clip.h"

#include <algorithm>

#include "archive/random_access.h"
#include "base/content_hash.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {

FileIdentity identity_in(const FileIdentity& container, const ClipPlace& place) {
  const std::uint64_t version = ContentHasher()
                                    .add(container.size.value)
                                    .add(container.modified_ns)
                                    .add(place.offset.value)
                                    .add(place.row)
                                    .value();
  return {.size = place.size, .modified_ns = static_cast<std::int64_t>(version)};
}

Result<Done> read_clip(const StoredClip& clip, Bytes offset, std::span<std::byte> out) {
  const bool is_inside = offset.value >= 0 && offset.value <= clip.size.value &&
                         static_cast<std::int64_t>(out.size()) <= (clip.size - offset).value;
  if (!is_inside) {
    return to_failure(msg::container_ends{.offset = ungrouped(offset.value)});
  }
  if (!clip.memory.empty()) {
    std::copy_n(clip.memory.begin() + offset.value, out.size(), out.begin());
    return Done{};
  }
  return read_fully(clip.fd.get(), clip.begin + offset, out);
}

Result<StoredClip> FileContainer::open(const ClipPlace& place) const {
  Result<FileAccess> file = FileAccess::open(path_);
  if (!file) {
    return file.failure();
  }
  if (file.value().identity() != identity_) {
    return to_failure(msg::container_changed{});
  }
  return StoredClip{
      .fd = std::move(file).value().release(), .begin = place.offset, .size = place.size};
}

Result<FileIdentity> FileContainer::identity(const ClipPlace& place) const {
  return identity_in(identity_, place);
}

}  // namespace qanat
