// The bytes of one clip that lies in a container, opened for reading, and what opens it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "archive/random_access.h"
#include "base/files.h"
#include "base/quantity.h"
#include "base/result.h"

namespace qanat {

// Where the clip is in its container, in the terms of the container.
struct ClipPlace {
  std::uint32_t container = 0;  // from 1; 0: it is a file of its own
  std::uint32_t row = 0;        // of a table
  Bytes offset{};               // of a member
  Bytes size{};

  bool operator==(const ClipPlace&) const = default;
};

// A range of a file, or memory.
struct StoredClip {
  UniqueFd fd;
  Bytes begin{};
  Bytes size{};
  std::span<const std::byte> memory{};
  // Holds the memory; shared with the other clips of a page.
  std::shared_ptr<const std::vector<std::byte>> page{};
};

// All of `out`, from `offset` of the clip on.
Result<Done> read_clip(const StoredClip& clip, Bytes offset, std::span<std::byte> out);

// One file with many clips in it. Thread-safe and immutable.
class ClipContainer {
 public:
  virtual ~ClipContainer() = default;

  // Failures name neither clip nor container.
  virtual Result<StoredClip> open(const ClipPlace& place) const = 0;
  // Tells one version of a clip from another: its place in the version of the container that was
  // indexed, which is the only one that open() reads.
  virtual Result<FileIdentity> identity(const ClipPlace& place) const = 0;
};

using ClipContainers = std::vector<std::unique_ptr<const ClipContainer>>;

// Members of a plain file: opened for each clip, so that a set of ten thousand shards does not need
// as many descriptors.
class FileContainer final : public ClipContainer {
 public:
  FileContainer(std::filesystem::path path, FileIdentity identity)
      : path_(std::move(path)), identity_(identity) {}

  Result<StoredClip> open(const ClipPlace& place) const override;
  Result<FileIdentity> identity(const ClipPlace& place) const override;

 private:
  const std::filesystem::path path_;
  const FileIdentity identity_;  // of the file that was indexed
};

// Members of what is far away, and stays open: a clip is read whole when it is opened.
class RangeContainer final : public ClipContainer {
 public:
  // `file` is of that version for as long as it is read.
  RangeContainer(std::shared_ptr<const RandomAccess> file, FileIdentity identity)
      : file_(std::move(file)), identity_(identity) {}

  Result<StoredClip> open(const ClipPlace& place) const override;
  Result<FileIdentity> identity(const ClipPlace& place) const override;

 private:
  const std::shared_ptr<const RandomAccess> file_;  // shared with who indexed it
  const FileIdentity identity_;
};

// Opens the version of a container that was indexed, each time it is asked. Failure: it is another
// one now.
using OpenVersion = std::function<Result<std::shared_ptr<const RandomAccess>>()>;
OpenVersion version_of_file(std::filesystem::path path, FileIdentity identity);

// Identifies a clip by the version of its container and its place in it.
FileIdentity identity_in(const FileIdentity& container, const ClipPlace& place);

}  // namespace qanat
