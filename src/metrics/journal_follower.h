// Reads a journal while it is being written: each call hands over the whole lines that have come
// since the one before. Asks the file instead of waiting for notices, which do not cross network
// file systems. Belongs to one thread; memory is bounded by the longest line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/files.h"
#include "base/result.h"
#include "metrics/journal.h"

namespace qanat {

class JournalFollower {
 public:
  // A call reads at most so much, so that its caller stays responsive.
  static constexpr std::size_t kMaxBytes = 4 << 20;

  explicit JournalFollower(std::filesystem::path path) : path_(std::move(path)) {}

  struct Progress {
    std::int64_t lines = 0;  // handed over by this call
    bool more = false;       // there is more to read at once
  };
  // A journal that continues in a new file is followed there, once the one before is read to its
  // end; one that was cut or replaced is read from its beginning. Fails when it cannot be read, or
  // was written by a newer format.
  Result<Progress> read_on(const VisitEntry& visit);

  // The file that is being read has no name any more: what is written to it can still be followed,
  // but nobody will find it afterwards.
  bool is_deleted() const;

  int damaged_lines() const { return damaged_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  Result<bool> open_first();
  bool open(const std::filesystem::path& path);
  bool go_on();
  Result<bool> take_lines(const VisitEntry& visit, Progress& progress);

  std::filesystem::path path_;
  UniqueFd fd_;
  std::uint64_t inode_ = 0;
  std::int64_t offset_ = 0;  // of the next byte to read
  std::string rest_;         // of a line whose end has not come
  bool moved_ = false;       // another file has the journal's name
  int damaged_ = 0;
};

}  // namespace qanat
