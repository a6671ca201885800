#include "pipeline/clip_source.h"

#include <cstdint>

#include "base/content_hash.h"

namespace qanat {

Result<AudioFile> FileClips::open(const Utterance& utterance) const {
  return open_audio_file(root_ / utterance.audio);
}

Result<FileIdentity> FileClips::identity(const Utterance& utterance) const {
  return read_file_identity(root_ / utterance.audio);
}

std::string FileClips::describe(const Utterance& utterance) const {
  return (root_ / utterance.audio).string();
}

Result<AudioFile> MemoryClips::open(const Utterance& utterance) const {
  const std::span<const std::byte> bytes = clip(utterance);
  return bytes.empty() ? files_.open(utterance) : open_audio_memory(bytes);
}

Result<FileIdentity> MemoryClips::identity(const Utterance& utterance) const {
  const std::span<const std::byte> bytes = clip(utterance);
  if (bytes.empty()) {
    return files_.identity(utterance);
  }
  return FileIdentity{.size = Bytes{static_cast<std::int64_t>(bytes.size())},
                      .modified_ns = static_cast<std::int64_t>(content_hash(bytes))};
}

std::string MemoryClips::describe(const Utterance& utterance) const {
  return clip(utterance).empty() ? files_.describe(utterance) : utterance.audio;
}

}  // namespace qanat
