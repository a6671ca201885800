// The run's diary: what happened, in order, one JSON object per line (JSON Lines).
//
// Modules journal through EventSink and know no files; RunJournal is the file. Every line is
// written whole with one write(2), so that a crash can tear at most the line being written, and
// readers (journal_follower.h) skip a torn one.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "metrics/journal_event.h"
#include "metrics/journal_recap.h"

namespace qanat {

// record() may be called from any thread, and throws Error when the event cannot be kept.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void record(const JournalEvent& event) = 0;
};

// Appends to `path`, creating it; the first line of every session is the header:
//   {"kind":"journal","format":2,"t":0.0,"started":"2024-05-01T10:00:00Z", ...}
// `t` of the lines that follow is in seconds since the header of their session (steady clock).
// Lines that a full disk does not take wait in memory, up to kMaxWaiting, for the next record().
//
// A journal takes at most twice its limit, and a recap: a file that has reached the limit is
// renamed to `path`.1, replacing an older one, and a new file continues. Its header says so
// ("continues"), and that so many lines follow ("recap") which sum up everything before
// (journal_recap.h), for the time when the older file is gone. Readers see both files as one, and a
// recap only where they have not read what it repeats. The new file is written beside its place and
// renamed: a crash leaves the journal as it was or as it is to be.
class RunJournal final : public EventSink {
 public:
  // 1: every field of a step was written, zeros too; files that went on had no recap.
  static constexpr int kFormat = 2;
  static constexpr Bytes kLimit = mebibytes(128);
  static constexpr Bytes kMaxWaiting = mebibytes(64);

  explicit RunJournal(const std::filesystem::path& path,
                      const SessionStart& header = {},
                      Bytes limit = kLimit);
  RunJournal(const RunJournal&) = delete;
  RunJournal& operator=(const RunJournal&) = delete;
  ~RunJournal() override;

  void record(const JournalEvent& event) override;
  // Who is told, by whichever thread records, when lines wait for a disk that is full; to be set
  // before there are several.
  void tell(std::function<void(const Message&)> say) { say_ = std::move(say); }

  // Time that callers of record() have spent in it: what journalling costs a run.
  Seconds spent() const { return std::chrono::nanoseconds(spent_ns_.load()); }

 private:
  void write_line(std::string_view line);
  void write_waiting();
  void finish_cut() const;
  void recall();
  bool go_on_in_a_new_file();

  const std::filesystem::path path_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<std::int64_t> spent_ns_{0};
  std::mutex mutex_;  // guards everything below: lines do not interleave
  UniqueFd fd_;
  SessionStart header_;
  const Bytes limit_;
  Bytes cut_at_;         // later than at the limit where that was refused
  Bytes written_;        // to this file, but for its recap
  std::string waiting_;  // that a full disk did not take; written with the next line
  std::function<void(const Message&)> say_;
  JournalRecap recap_;
};

// Each rank of a run journals into a file of its own, beside rank 0's: run/journal.jsonl,
// run/journal.rank1.jsonl, ... `path` is rank 0's.
std::filesystem::path journal_of_rank(const std::filesystem::path& path, int rank);

// The file a journal was continued from.
std::filesystem::path journal_before(const std::filesystem::path& path);
// The file it will go on in, while that is being made.
std::filesystem::path journal_after(const std::filesystem::path& path);

// What to do with a line of a journal; visit_journal() of journal_follower.h reads one to its end.
using VisitEntry = std::function<void(const JournalEntry& entry)>;

// Why the journal at `path` cannot be read, by errno.
Failure unreadable_journal(const std::filesystem::path& path, int error);

// One line. Nothing when it is damaged; fails when it says that the journal at `path` is of a
// format that this version cannot read.
Result<std::optional<JournalEntry>> read_journal_line(const std::filesystem::path& path,
                                                      std::string_view line);
inline constexpr std::size_t kMaxJournalLine = 4 << 20;  // longer ones are not ours: damaged

}  // namespace qanat
