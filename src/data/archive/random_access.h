// Bytes that are read by range: the one thing that readers of containers need of a file, of memory,
// or of a store elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "base/files.h"
#include "base/quantity.h"
#include "base/result.h"

namespace qanat {

// Thread-safe.
class RandomAccess {
 public:
  virtual ~RandomAccess() = default;

  virtual Bytes size() const = 0;
  // All of `out`, from `offset` on. Failure: it cannot be read, or ends before.
  virtual Result<Done> read(Bytes offset, std::span<std::byte> out) const = 0;
};

// All of `out` from a file, from `offset` on.
Result<Done> read_fully(int fd, Bytes offset, std::span<std::byte> out);

// A regular file that stays open.
class FileAccess final : public RandomAccess {
 public:
  // Failures do not name the file.
  static Result<FileAccess> open(const std::filesystem::path& path);

  Bytes size() const override { return identity_.size; }
  Result<Done> read(Bytes offset, std::span<std::byte> out) const override;

  // Identifies the file that is open, whatever has its name since.
  const FileIdentity& identity() const { return identity_; }
  // Gives the file away.
  UniqueFd release() && { return std::move(fd_); }

 private:
  FileAccess(UniqueFd fd, FileIdentity identity) : fd_(std::move(fd)), identity_(identity) {}

  UniqueFd fd_;
  FileIdentity identity_;
};

// Memory that outlives this.
class MemoryAccess final : public RandomAccess {
 public:
  explicit MemoryAccess(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Bytes size() const override { return Bytes{static_cast<std::int64_t>(bytes_.size())}; }
  Result<Done> read(Bytes offset, std::span<std::byte> out) const override;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace qanat
