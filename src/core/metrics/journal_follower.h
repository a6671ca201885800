// Reads a journal, also while it is being written: each call hands over the whole lines that have
// come since the one before. Asks the file instead of waiting for notices, which do not cross
// network file systems. Belongs to one thread; memory is bounded by the longest line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/quantity.h"
#include "base/result.h"
#include "metrics/journal.h"

namespace qanat {

class JournalFollower {
 public:
  // A call reads at most so much, so that its caller stays responsive.
  static constexpr std::size_t kMaxBytes = 4 << 20;

  // How much of a file is read where its ends are enough: what describes the run, and the newest.
  struct Ends {
    Bytes head = mebibytes(1);
    Bytes tail = mebibytes(6);
  };

  // Begins at `from`, or with the file that the journal was continued from.
  explicit JournalFollower(std::filesystem::path path,
                           std::optional<Ends> ends = std::nullopt,
                           Bytes from = {})
      : path_(std::move(path)), ends_(ends), from_(from) {}

  struct Progress {
    std::int64_t lines = 0;  // handed over by this call
    bool more = false;       // there is more to read at once
  };
  // A journal that continues in a new file is followed there, once the one before is read to its
  // end; one that was cut or replaced is read from its beginning. Fails when it cannot be read, or
  // was written by a newer format.
  Result<Progress> read_on(const VisitEntry& visit);

  // Reads no further than what is there now: a run that writes on does not keep its reader.
  void end_at_present();

  // The file that is being read has no name any more: what is written to it can still be followed,
  // but nobody will find it afterwards.
  bool is_deleted() const;

  int damaged_lines() const { return damaged_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  // What repeats earlier files is read where these are not.
  enum class Recap { read, skipped };
  struct End {
    std::uint64_t inode = 0;  // of the journal's newest file
    std::int64_t size = 0;
  };

  Result<bool> open_first();
  bool open(const std::filesystem::path& path, Recap recap);
  bool go_on();
  void jump_to_the_tail();
  Result<bool> take_lines(const VisitEntry& visit, Progress& progress);
  void skip_recap(const JournalEntry& first);
  // Bytes of the open file that may still be read; absent: all that come.
  std::optional<std::int64_t> left() const;

  std::filesystem::path path_;
  std::optional<Ends> ends_;
  Bytes from_;
  std::filesystem::path reading_;  // the file that is open
  UniqueFd fd_;
  std::uint64_t inode_ = 0;
  std::int64_t offset_ = 0;   // of the next byte to read
  std::string rest_;          // of a line whose end has not come
  std::size_t searched_ = 0;  // bytes of it that hold no end
  bool has_jumped_ = false;   // over the middle of the file
  bool is_cut_ = false;       // `rest_` begins inside a line
  Recap recap_ = Recap::read;
  bool is_first_ = true;      // the next line is the first of its file
  std::int64_t to_skip_ = 0;  // lines of a recap
  bool is_too_long_ = false;  // `rest_` is the end of a line that is not ours
  std::optional<End> end_;    // of what is read
  bool moved_ = false;        // another file has the journal's name
  int damaged_ = 0;
};

// Reads a journal line by line in bounded memory, whatever its size, the file it was continued from
// included; one that is still being written, or whose writer was killed, is read up to its last
// whole line that was there when reading began. Returns how many lines were damaged: torn by a
// crash, edited, or without what their kind needs; a last one that is still without end is not
// counted. Fails when the file cannot be read or was written by a newer format.
struct VisitOptions {
  std::optional<JournalFollower::Ends> ends{};  // of the files, if they are enough
  std::stop_token stop{};                       // ends it early
};
Result<int> visit_journal(const std::filesystem::path& path,
                          const VisitEntry& visit,
                          const VisitOptions& options = {});

}  // namespace qanat
