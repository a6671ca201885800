#include "metrics/journal_follower.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "metrics/journal.h"

namespace qanat {
namespace {

// The header of a journal, if its file begins with one.
std::optional<SessionStart> read_header(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string head(kMaxJournalLine, '\0');
  const ssize_t got = fd ? ::pread(fd.get(), head.data(), head.size(), 0) : -1;
  head.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  const Result<std::optional<JournalEntry>> first =
      read_journal_line(path, std::string_view(head).substr(0, head.find('\n')));
  const auto* const header =
      first && first.value() ? std::get_if<SessionStart>(&first.value()->event) : nullptr;
  return header == nullptr ? std::nullopt : std::optional(*header);
}

}  // namespace

bool JournalFollower::open(const std::filesystem::path& path, Recap recap) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return false;
  }
  // Another file than the one that was to be the last: the journal went on meanwhile.
  if (end_ && path == path_ && status.st_ino != end_->inode) {
    end_ = End{.inode = status.st_ino, .size = status.st_size};
  }
  reading_ = path;
  fd_ = std::move(fd);
  inode_ = status.st_ino;
  offset_ = 0;
  rest_.clear();
  searched_ = 0;
  recap_ = recap;
  is_first_ = true;
  is_too_long_ = false;
  to_skip_ = 0;
  has_jumped_ = false;
  is_cut_ = false;
  return true;
}

// The file that the journal was continued from comes first, where all of it is wanted.
Result<bool> JournalFollower::open_first() {
  if (fd_) {
    return true;
  }
  if (from_ > Bytes{0} && open(path_, Recap::read)) {
    offset_ = from_.value;
    return true;
  }
  struct stat status {};
  const bool is_enough = ends_ && ::stat(path_.c_str(), &status) == 0 &&
                         status.st_size >= ends_->head.value + ends_->tail.value;
  const std::optional<SessionStart> header = is_enough ? std::nullopt : read_header(path_);
  if ((header && header->continues && open(journal_before(path_), Recap::read)) ||
      open(path_, Recap::read)) {
    return true;
  }
  return unreadable_journal(path_, errno);
}

void JournalFollower::jump_to_the_tail() {
  struct stat status {};
  if (!ends_ || has_jumped_ || offset_ < ends_->head.value || ::fstat(fd_.get(), &status) != 0) {
    return;
  }
  has_jumped_ = true;
  const std::int64_t tail = status.st_size - ends_->tail.value;
  if (tail > offset_) {
    offset_ = tail;
    rest_.clear();
    searched_ = 0;
    to_skip_ = 0;
    is_cut_ = true;
  }
}

// Is there another file, or less of this one, under the journal's name? A file that was moved gets
// no more lines, but may have got one since its end was seen: it is read once more before.
bool JournalFollower::go_on() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0 ||
      (status.st_ino == inode_ && status.st_size >= offset_)) {
    return false;
  }
  if (status.st_ino != inode_ && !std::exchange(moved_, true)) {
    return true;
  }
  moved_ = false;
  return open(path_, Recap::skipped);
}

void JournalFollower::end_at_present() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) {
    end_ = End{.inode = status.st_ino, .size = status.st_size};
  }
}

std::optional<std::int64_t> JournalFollower::left() const {
  return end_ && end_->inode == inode_
             ? std::optional(std::max<std::int64_t>(end_->size - offset_, 0))
             : std::nullopt;
}

// Between two files of a journal the one that was read has another name.
bool JournalFollower::is_deleted() const {
  struct stat named {};
  struct stat read {};
  return fd_ && ::stat(path_.c_str(), &named) != 0 && ::fstat(fd_.get(), &read) == 0 &&
         read.st_nlink == 0;
}

void JournalFollower::skip_recap(const JournalEntry& first) {
  const auto* const header = std::get_if<SessionStart>(&first.event);
  if (header != nullptr && header->continues && recap_ == Recap::skipped) {
    to_skip_ = header->recap.value_or(0);
  }
}

Result<bool> JournalFollower::take_lines(const VisitEntry& visit, Progress& progress) {
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n', searched_); end != std::string::npos;
       end = rest_.find('\n', begin)) {
    const std::string_view text = std::string_view(rest_).substr(begin, end - begin);
    begin = end + 1;
    if (std::exchange(is_cut_, false) || to_skip_ > 0) {
      to_skip_ = std::max<std::int64_t>(to_skip_ - 1, 0);
      continue;
    }
    if (text.empty() && !is_too_long_) {
      continue;
    }
    const Result<std::optional<JournalEntry>> entry = std::exchange(is_too_long_, false)
                                                          ? std::optional<JournalEntry>()
                                                          : read_journal_line(path_, text);
    if (!entry) {
      return entry.failure();
    }
    if (!entry.value()) {
      ++damaged_;
      continue;
    }
    if (std::exchange(is_first_, false)) {
      skip_recap(*entry.value());
    }
    visit(*entry.value());
    ++progress.lines;
  }
  rest_.erase(0, begin);
  if (rest_.size() > kMaxJournalLine) {
    rest_.clear();
    is_too_long_ = true;
  }
  searched_ = rest_.size();
  return true;
}

Result<JournalFollower::Progress> JournalFollower::read_on(const VisitEntry& visit) {
  Progress progress;
  if (const Result<bool> is_open = open_first(); !is_open) {
    return is_open.failure();
  }
  std::vector<char> buffer(256 << 10);
  for (std::size_t taken = 0; taken < kMaxBytes;) {
    const std::optional<std::int64_t> room = left();
    if (room && *room == 0) {
      return progress;
    }
    const std::size_t most =
        std::min(buffer.size(), static_cast<std::size_t>(room.value_or(std::int64_t{kMaxBytes})));
    const ssize_t got = ::pread(fd_.get(), buffer.data(), most, offset_);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return unreadable_journal(reading_, errno);
    }
    if (got == 0) {
      if (go_on()) {
        continue;
      }
      return progress;
    }
    taken += static_cast<std::size_t>(got);
    offset_ += got;
    rest_.append(buffer.data(), static_cast<std::size_t>(got));
    if (const Result<bool> lines = take_lines(visit, progress); !lines) {
      return lines.failure();
    }
    jump_to_the_tail();
  }
  progress.more = true;
  return progress;
}

Result<int> visit_journal(const std::filesystem::path& path,
                          const VisitEntry& visit,
                          const VisitOptions& options) {
  JournalFollower follower(path, options.ends);
  follower.end_at_present();
  for (bool more = true; more && !options.stop.stop_requested();) {
    const Result<JournalFollower::Progress> progress = follower.read_on(visit);
    if (!progress) {
      return progress.failure();
    }
    more = progress.value().more;
  }
  return follower.damaged_lines();
}

}  // namespace qanat
