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

SetClips::SetClips(const Manifest& manifest)
    : files_(manifest.root), containers_(manifest.containers) {}

const ClipContainer* SetClips::container(const Utterance& utterance) const {
  const std::uint32_t number = utterance.place.container;
  return number == 0 ? nullptr : containers_->at(number - 1).get();
}

Result<AudioFile> SetClips::open(const Utterance& utterance) const {
  const ClipContainer* const stored = container(utterance);
  if (stored == nullptr) {
    return files_.open(utterance);
  }
  Result<StoredClip> clip = stored->open(utterance.place);
  return clip ? Result<AudioFile>(to_audio_file(std::move(clip).value()))
              : Result<AudioFile>(clip.failure());
}

Result<FileIdentity> SetClips::identity(const Utterance& utterance) const {
  const ClipContainer* const stored = container(utterance);
  return stored == nullptr ? files_.identity(utterance) : stored->identity(utterance.place);
}

std::string SetClips::describe(const Utterance& utterance) const {
  return files_.describe(utterance);
}

Result<AudioFile> open_clip(const Manifest& manifest, const Utterance& utterance) {
  const ClipContainer* const stored = container_of(manifest, utterance);
  if (stored == nullptr) {
    return open_audio_file(audio_path(manifest, utterance));
  }
  Result<StoredClip> clip = stored->open(utterance.place);
  return clip ? Result<AudioFile>(to_audio_file(std::move(clip).value()))
              : Result<AudioFile>(clip.failure());
}

AudioFile to_audio_file(StoredClip clip) {
  return {.fd = std::move(clip.fd),
          .size = clip.size,
          .memory = clip.memory,
          .begin = clip.begin,
          .page = std::move(clip.page)};
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
