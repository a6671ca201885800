// Files, owned and written whole.
//
// Readers report `Result`: a file that cannot be read is an item that failed. AtomicFile throws
// Error: a disk that cannot be written ends the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "base/result.h"

namespace qanat {

// Owner of a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
};

// A read-only view of a whole file; the view lives as long as the object.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {begin_, size_}; }

 private:
  MappedFile(const std::byte* begin, std::size_t size) : begin_(begin), size_(size) {}

  const std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

// What tells one version of a file from another without reading it.
struct FileIdentity {
  Bytes size;
  std::int64_t modified_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

Result<FileIdentity> read_file_identity(const std::filesystem::path& path);

// Reads a whole regular file; refuses one larger than `limit`.
Result<std::string> read_text_file(const std::filesystem::path& path,
                                   Bytes limit = mebibytes(1024));

// A file that appears under its name complete or not at all: written beside its place, synced,
// renamed on commit(). Destroyed before commit() it leaves nothing behind.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  UniqueFd fd_;
};

void write_text_file(const std::filesystem::path& path, std::string_view text);

// The folder and those above it, where they are not there yet. `flag` is what the user may change
// when that is refused. Throws Error.
void make_folders(const std::filesystem::path& path, std::string_view flag = "");

// A folder for temporary files that is gone with the object.
//
// Fixture.
class TemporaryFolder {
 public:
  // Throws Error when there is no place for one.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace qanat
