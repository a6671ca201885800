#include "archive/stored_clip.h"

#include <algorithm>

#include "base/content_hash.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"
#include "locale/messages/data_set_layouts.h"
#include "locale/messages/stores.h"

namespace qanat {
namespace {

// A clip that is read into memory; longer ones are not speech of one utterance.
constexpr Bytes kMaxWholeClip = mebibytes(1024);

}  // namespace

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

Result<StoredClip> RangeContainer::open(const ClipPlace& place) const {
  if (place.size.value == 0) {
    return to_failure(msg::audio_empty{});
  }
  if (place.size.value < 0 || place.size > kMaxWholeClip) {
    return to_failure(
        msg::store_too_large{.size = in_bytes(static_cast<double>(place.size.value)),
                             .limit = in_bytes(static_cast<double>(kMaxWholeClip.value))});
  }
  auto bytes = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(place.size.value));
  if (const Result<Done> read = file_->read(place.offset, *bytes); !read) {
    return read.failure();
  }
  return StoredClip{.size = place.size, .memory = *bytes, .page = bytes};
}

Result<FileIdentity> RangeContainer::identity(const ClipPlace& place) const {
  return identity_in(identity_, place);
}

OpenVersion version_of_file(std::filesystem::path path, FileIdentity identity) {
  return [path = std::move(path), identity]() -> Result<std::shared_ptr<const RandomAccess>> {
    Result<FileAccess> file = FileAccess::open(path);
    if (!file) {
      return file.failure();
    }
    if (file.value().identity() != identity) {
      return to_failure(msg::container_changed{});
    }
    return std::shared_ptr<const RandomAccess>(
        std::make_shared<const FileAccess>(std::move(file).value()));
  };
}

}  // namespace qanat
