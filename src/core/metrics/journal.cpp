#include "metrics/journal.h"

#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/retry.h"
#include "locale/message_error.h"
#include "locale/messages/training.h"
#include "locale/system_advice.h"
#include "metrics/journal_follower.h"

namespace qanat {
namespace {

// None, and errno, where it is refused.
UniqueFd open_for_append(const std::filesystem::path& path) {
  return UniqueFd(retry_call(
      [&] { return ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644); }));
}

MessageError not_written(const std::filesystem::path& path, int error) {
  return MessageError(
      msg::journal_not_written{.path = path.string(), .reason = system_reason(error)});
}

// A crash may have left half a line behind.
bool ends_inside_a_line(int fd) {
  struct stat status {};
  char last = '\n';
  return ::fstat(fd, &status) == 0 && status.st_size > 0 &&
         ::pread(fd, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

bool write_whole(const std::filesystem::path& path, std::string_view text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  while (fd && !text.empty()) {
    const ssize_t put = ::write(fd.get(), text.data(), text.size());
    if (put < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(put < 0 ? 0 : static_cast<std::size_t>(put));
  }
  return text.empty();
}

}  // namespace

RunJournal::RunJournal(const std::filesystem::path& path, const SessionStart& header, Bytes limit)
    : path_(path), header_(header), limit_(limit), cut_at_(limit) {
  finish_cut();
  recall();
  fd_ = open_for_append(path_);
  if (!fd_) {
    throw MessageError(
        msg::journal_not_opened{.path = path_.string(), .reason = system_reason(errno)});
  }
  struct stat status {};
  if (::fstat(fd_.get(), &status) == 0) {
    written_ = Bytes{status.st_size};
  }
  header_.format = kFormat;
  header_.started = utc_now();
  std::string line = to_journal_line(Seconds{0}, header_);
  recap_.add(Seconds{0}, header_, line);
  if (ends_inside_a_line(fd_.get())) {
    line.insert(0, 1, '\n');
  }
  write_line(line);
  for (int attempt = 0; !waiting_.empty() && pause_before_retry(attempt, errno); ++attempt) {
    write_waiting();
  }
  if (!waiting_.empty()) {  // a run that has not begun needs not wait
    throw not_written(path_, errno);
  }
}

// A writer that was killed between two renames left the file that is to go on.
void RunJournal::finish_cut() const {
  std::error_code missing;
  if (!std::filesystem::exists(path_, missing) &&
      std::filesystem::exists(journal_after(path_), missing)) {
    std::filesystem::rename(journal_after(path_), path_, missing);
  }
}

// Sessions before this one are part of the recap, too. What cannot be read cannot be repeated.
void RunJournal::recall() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    static_cast<void>(
        visit_journal(path_, [this](const JournalEntry& entry) { recap_.add(entry); }));
  }
}

void RunJournal::record(const JournalEvent& event) {
  const Clock::time_point begin = Clock::now();
  const Seconds time = begin - start_;
  const std::string line = to_journal_line(time, event);
  const std::lock_guard lock(mutex_);
  if (written_ >= cut_at_ && waiting_.empty() && !go_on_in_a_new_file()) {
    cut_at_ = written_ + Bytes{limit_.value / 8};  // too long is better than lost
  }
  write_line(line);
  recap_.add(time, event, line);
  spent_ns_.fetch_add(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

bool RunJournal::go_on_in_a_new_file() {
  const std::filesystem::path after = journal_after(path_);
  const std::vector<std::string> recap = recap_.lines();
  SessionStart header = header_;
  header.continues = true;
  header.recap = std::ssize(recap);
  std::string text = to_journal_line(Seconds{0}, header);
  for (const std::string& line : recap) {
    text += line;
  }
  std::error_code refused;
  UniqueFd fd = write_whole(after, text) ? open_for_append(after) : UniqueFd();
  if (!fd) {
    std::filesystem::remove(after, refused);
    return false;
  }
  std::filesystem::rename(path_, journal_before(path_), refused);
  if (!refused) {
    std::filesystem::rename(after, path_, refused);
    if (!refused) {
      fd_ = std::move(fd);
      written_ = Bytes{0};
      cut_at_ = limit_;
      return true;
    }
    std::filesystem::rename(journal_before(path_), path_, refused);
  }
  std::filesystem::remove(after, refused);
  return false;
}

void RunJournal::write_line(std::string_view line) {
  written_ += Bytes{static_cast<std::int64_t>(line.size())};
  const bool waited = !waiting_.empty();
  waiting_ += line;
  write_waiting();
  const int refusal = errno;
  if (waited != waiting_.empty() || !say_) {
    return;
  }
  say_(waited ? Message(msg::journal_written_again{.path = path_.string()})
              : Message(msg::journal_waits{
                    .path = path_.string(),
                    .reason = system_reason(refusal),
                    .advice = system_advice(refusal, path_.parent_path().string())}));
}

// As much as the disk takes. What it refuses waits in memory, up to a limit; errno says why.
void RunJournal::write_waiting() {
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    const ssize_t put = ::write(fd_.get(), rest.data(), rest.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      if (static_cast<std::int64_t>(rest.size()) > kMaxWaiting.value) {
        throw not_written(path_, errno);
      }
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
  waiting_.erase(0, waiting_.size() - rest.size());
}

RunJournal::~RunJournal() {
  try {
    write_waiting();
  } catch (const Error&) {
    // The disk does not take the last lines.
  }
}

std::filesystem::path journal_of_rank(const std::filesystem::path& path, int rank) {
  std::filesystem::path name = path.stem();
  name += fmt::format(".rank{}", rank);
  name += path.extension();
  return rank == 0 ? path : path.parent_path() / name;
}

std::filesystem::path journal_before(const std::filesystem::path& path) {
  return path.string() + ".1";
}

std::filesystem::path journal_after(const std::filesystem::path& path) {
  return path.string() + ".next";
}

Failure unreadable_journal(const std::filesystem::path& path, int error) {
  return to_failure(msg::journal_unreadable{.path = path.string(), .reason = system_reason(error)});
}

Result<std::optional<JournalEntry>> read_journal_line(const std::filesystem::path& path,
                                                      std::string_view line) {
  nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) {
    return std::optional<JournalEntry>();
  }
  Result<JournalEntry> entry = to_journal_entry(std::move(object));
  if (!entry) {
    return std::optional<JournalEntry>();
  }
  const auto* const header = std::get_if<SessionStart>(&entry.value().event);
  if (header != nullptr && header->format.value_or(0) > RunJournal::kFormat) {
    return to_failure(msg::journal_too_new{
        .path = path.string(), .format = *header->format, .most = RunJournal::kFormat});
  }
  return std::optional(std::move(entry).value());
}

}  // namespace qanat
