// The bytes of one clip, opened for reading: a file, or memory that somebody else owns. Every
// reader here sees no more of it than its size and read_at().
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/files.h"
#include "base/quantity.h"
#include "base/result.h"

namespace qanat {

struct AudioFile {
  UniqueFd fd;
  Bytes size;
  std::span<const std::byte> memory{};  // instead of a file; outlives this, or is held by `page`
  Bytes begin{};                        // of the clip in the file
  std::shared_ptr<const std::vector<std::byte>> page{};  // shared by the clips in it
};

// A regular file with something in it. Does not wait for the writer of a named pipe.
Result<AudioFile> open_audio_file(const std::filesystem::path& path);

// What a file would hold, in memory that outlives the result.
Result<AudioFile> open_audio_memory(std::span<const std::byte> bytes);

// Fills `out` from `offset` on, up to the end of the file; the file's own position stays.
Result<std::size_t> read_at(const AudioFile& file, Bytes offset, std::span<std::byte> out);

// A block of bytes that grows, keeps its size between uses and is never cleared.
// It begins on a page: on AMD Zen the kernel's copy out of the page cache is 4 times slower into a
// place a few bytes after a page boundary, which is where malloc puts large blocks
// (measured: 115 against 27 us for a 290 kB file).
class PageBuffer {
 public:
  // Room for `size` bytes; what the block held is lost when it has to grow.
  std::span<std::byte> room(std::size_t size);

  std::size_t capacity() const { return capacity_; }
  void release();

 private:
  struct Free {
    void operator()(std::byte* block) const;
  };

  std::unique_ptr<std::byte, Free> block_;
  std::size_t capacity_ = 0;
};

}  // namespace qanat
