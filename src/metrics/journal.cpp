#include "metrics/journal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk_full.h"
#include "base/files.h"
#include "locale/message_error.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

// Lines that describe a run as a whole: a file that continues another repeats the latest of each
// kind.
constexpr std::array kContextKinds = {
    RunStart::kKind, HostSample::kKind, GpuSamples::kKind, LoaderStart::kKind, RingStart::kKind};

UniqueFd open_for_append(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) {
    throw MessageError(
        msg::journal_not_opened{.path = path.string(), .reason = system_reason(errno)});
  }
  return fd;
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

// "kind" first, then "t", then the fields: lines are read by people too. Bytes that are not UTF-8
// (file names may hold any) are replaced.
std::string to_line(Seconds time, const JournalEvent& event) {
  nlohmann::ordered_json line;
  line["kind"] = kind_of(event);
  line["t"] = std::round(time.count() * 1e6) / 1e6;
  const nlohmann::json fields = to_fields(event);
  for (const auto& [name, value] : fields.items()) {
    line[name] = value;
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

enum class LineEnd { newline, torn, end_of_file };

// The next line, without its end; one that is too long to be ours comes out cut, hence damaged.
LineEnd read_line(std::istream& file, std::string& line) {
  line.clear();
  std::streambuf& bytes = *file.rdbuf();
  for (int byte = bytes.sbumpc(); byte != std::char_traits<char>::eof(); byte = bytes.sbumpc()) {
    if (byte == '\n') {
      return LineEnd::newline;
    }
    if (line.size() < kMaxJournalLine) {
      line += static_cast<char>(byte);
    }
  }
  return line.empty() ? LineEnd::end_of_file : LineEnd::torn;
}

}  // namespace

RunJournal::RunJournal(const std::filesystem::path& path, const SessionStart& header, Bytes limit)
    : path_(path), fd_(open_for_append(path)), header_(header), limit_(limit) {
  struct stat status {};
  if (::fstat(fd_.get(), &status) == 0) {
    written_ = Bytes{status.st_size};
  }
  header_.format = kFormat;
  header_.started = utc_now();
  std::string line = to_line(Seconds{0}, header_);
  if (ends_inside_a_line(fd_.get())) {
    line.insert(0, 1, '\n');
  }
  write_line(line);
  if (!waiting_.empty()) {  // a run that has not begun needs not wait
    throw not_written(path_, ENOSPC);
  }
}

void RunJournal::record(const JournalEvent& event) {
  const Clock::time_point begin = Clock::now();
  std::string line = to_line(begin - start_, event);
  const std::lock_guard lock(mutex_);
  if (written_ >= limit_ && waiting_.empty()) {
    go_on_in_a_new_file();
  }
  write_line(line);
  if (std::ranges::find(kContextKinds, kind_of(event)) != kContextKinds.end()) {
    context_.insert_or_assign(std::string(kind_of(event)), std::move(line));
  }
  spent_ns_.fetch_add(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

void RunJournal::go_on_in_a_new_file() {
  std::error_code refused;
  std::filesystem::rename(path_, journal_before(path_), refused);
  if (refused) {
    limit_ = Bytes{std::numeric_limits<std::int64_t>::max()};  // too long is better than lost
    return;
  }
  fd_ = open_for_append(path_);
  written_ = Bytes{0};
  SessionStart header = header_;
  header.continues = true;
  write_line(to_line(Seconds{0}, header));
  for (const auto& [kind, line] : context_) {
    write_line(line);
  }
}

void RunJournal::write_line(std::string_view line) {
  written_ += Bytes{static_cast<std::int64_t>(line.size())};
  const bool waited = !waiting_.empty();
  waiting_ += line;
  write_waiting();
  if (waited != waiting_.empty() || !say_) {
    return;
  }
  say_(waited
           ? Message(msg::journal_has_space{.path = path_.string()})
           : Message(msg::journal_waits{.path = path_.string(), .reason = system_reason(ENOSPC)}));
}

// As much as the disk takes.
void RunJournal::write_waiting() {
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    const ssize_t put = ::write(fd_.get(), rest.data(), rest.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    const bool may_wait =
        says_disk_full(errno) && static_cast<std::int64_t>(rest.size()) <= kMaxWaiting.value;
    if (put < 0 && !may_wait) {
      throw not_written(path_, errno);
    }
    if (put < 0) {
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

bool is_continued(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!file || read_line(file, line) != LineEnd::newline) {
    return false;
  }
  const Result<std::optional<JournalEntry>> first = read_journal_line(path, line);
  const auto* const header =
      first && first.value() ? std::get_if<SessionStart>(&first.value()->event) : nullptr;
  return header != nullptr && header->continues;
}

namespace {

Result<int> visit_file(const std::filesystem::path& path, const VisitEntry& visit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return unreadable_journal(path, errno);
  }
  int damaged = 0;
  std::string line;
  for (LineEnd end = read_line(file, line); end != LineEnd::end_of_file;
       end = read_line(file, line)) {
    const Result<std::optional<JournalEntry>> entry = read_journal_line(path, line);
    if (!entry) {
      return entry.failure();
    }
    if (entry.value()) {
      visit(*entry.value());
    } else {
      damaged += line.empty() || end == LineEnd::torn ? 0 : 1;
    }
  }
  if (file.bad()) {
    return unreadable_journal(path, EIO);
  }
  return damaged;
}

}  // namespace

Result<int> visit_journal(const std::filesystem::path& path, const VisitEntry& visit) {
  int damaged = 0;
  std::error_code error;
  if (is_continued(path) && std::filesystem::exists(journal_before(path), error)) {
    const Result<int> before = visit_file(journal_before(path), visit);
    if (!before) {
      return before.failure();
    }
    damaged = before.value();
  }
  const Result<int> last = visit_file(path, visit);
  if (!last) {
    return last.failure();
  }
  return damaged + last.value();
}

}  // namespace qanat
