// The run's diary: what happened, in order, one JSON object per line (JSON Lines).
//
// Modules journal through EventSink and know no files; RunJournal is the file. Every line is
// written whole with one write(2), so that a crash can tear at most the line being written, and
// visit_journal() skips a torn one.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "metrics/journal_event.h"

namespace qanat {

// record() may be called from any thread, and throws Error when the event cannot be kept.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void record(const JournalEvent& event) = 0;
};

// Appends to `path`, creating it; the first line of every session is the header:
//   {"kind":"journal","format":1,"t":0.0,"started":"2024-05-01T10:00:00Z", ...}
// `t` of the lines that follow is in seconds since the header of their session (steady clock).
// Lines that a full disk does not take wait in memory, up to kMaxWaiting, for the next record().
//
// A journal takes at most twice its limit: a file that has reached it is renamed to `path`.1,
// replacing an older one, and a new file continues, which says so in its header ("continues") and
// repeats what describes the run as a whole. Readers see both as one.
class RunJournal final : public EventSink {
 public:
  static constexpr int kFormat = 1;
  static constexpr Bytes kLimit = mebibytes(256);
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
  void go_on_in_a_new_file();

  const std::filesystem::path path_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<std::int64_t> spent_ns_{0};
  std::mutex mutex_;  // guards everything below: lines do not interleave
  UniqueFd fd_;
  SessionStart header_;
  Bytes limit_;
  Bytes written_;
  std::string waiting_;  // that a full disk did not take; written with the next line
  std::function<void(const Message&)> say_;
  std::map<std::string, std::string, std::less<>> context_;  // the latest line of some kinds
};

// Each rank of a run journals into a file of its own, beside rank 0's: run/journal.jsonl,
// run/journal.rank1.jsonl, ... `path` is rank 0's.
std::filesystem::path journal_of_rank(const std::filesystem::path& path, int rank);

// The file a journal was continued from.
std::filesystem::path journal_before(const std::filesystem::path& path);

// Reads a journal line by line in bounded memory, whatever its size, the file it was continued from
// included; one that is still being written, or whose writer was killed, is read up to its last
// whole line. Returns how many lines were damaged: torn by a crash, edited, or without what their
// kind needs; a last one that is still without end is not counted. Fails when the file cannot be
// read or was written by a newer format.
using VisitEntry = std::function<void(const JournalEntry& entry)>;
Result<int> visit_journal(const std::filesystem::path& path, const VisitEntry& visit);

// Why the journal at `path` cannot be read, by errno.
Failure unreadable_journal(const std::filesystem::path& path, int error);

// One line. Nothing when it is damaged; fails when it says that the journal at `path` is of a
// format that this version cannot read.
Result<std::optional<JournalEntry>> read_journal_line(const std::filesystem::path& path,
                                                      std::string_view line);
inline constexpr std::size_t kMaxJournalLine = 4 << 20;  // longer ones are not ours: damaged

// Whether the journal at `path` continues the file that journal_before() names.
bool is_continued(const std::filesystem::path& path);

}  // namespace qanat
