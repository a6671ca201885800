// Where the audio of an utterance lies: in a file of its own, in a container, in memory. Index and
// rows ask through this and nothing else, so a new place is one class: what is read there, how it
// is decoded and in which order is decided elsewhere.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archive/stored_clip.h"
#include "audio/audio_file.h"
#include "base/files.h"
#include "base/result.h"
#include "dataset/manifest.h"

namespace qanat {

// Thread-safe and immutable; outlives what it opened.
class ClipSource {
 public:
  virtual ~ClipSource() = default;

  // Failures do not name the clip.
  virtual Result<AudioFile> open(const Utterance& utterance) const = 0;
  // Tells one version of a clip from another.
  virtual Result<FileIdentity> identity(const Utterance& utterance) const = 0;
  // The file, or whatever names the clip best, for messages.
  virtual std::string describe(const Utterance& utterance) const = 0;
};

// A file for each utterance, below a root.
class FileClips final : public ClipSource {
 public:
  explicit FileClips(std::filesystem::path root) : root_(std::move(root)) {}

  Result<AudioFile> open(const Utterance& utterance) const override;
  Result<FileIdentity> identity(const Utterance& utterance) const override;
  std::string describe(const Utterance& utterance) const override;

 private:
  const std::filesystem::path root_;
};

// Clips of a set in containers, or each in a file of its own.
class SetClips final : public ClipSource {
 public:
  // Keeps what it needs of the manifest.
  explicit SetClips(const Manifest& manifest);

  Result<AudioFile> open(const Utterance& utterance) const override;
  Result<FileIdentity> identity(const Utterance& utterance) const override;
  std::string describe(const Utterance& utterance) const override;

 private:
  const ClipContainer* container(const Utterance& utterance) const;

  const FileClips files_;
  const std::shared_ptr<const ClipContainers> containers_;  // shared with the set
};

// One clip of a set.
Result<AudioFile> open_clip(const Manifest& manifest, const Utterance& utterance);
AudioFile to_audio_file(StoredClip clip);

// Clips in memory that outlives this, found by Utterance::line; where one is empty, a file as
// above.
class MemoryClips final : public ClipSource {
 public:
  using Clips = std::vector<std::span<const std::byte>>;

  MemoryClips(std::filesystem::path root, Clips clips)
      : files_(std::move(root)), clips_(std::move(clips)) {}

  Result<AudioFile> open(const Utterance& utterance) const override;
  // Size and content: a caller may write other samples to the same place.
  Result<FileIdentity> identity(const Utterance& utterance) const override;
  std::string describe(const Utterance& utterance) const override;

 private:
  std::span<const std::byte> clip(const Utterance& utterance) const {
    return clips_[static_cast<std::size_t>(utterance.line) - 1];
  }

  const FileClips files_;
  const Clips clips_;
};

}  // namespace qanat
