#include "metrics/journal_follower.h"

#include <cerrno>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "metrics/journal.h"

namespace qanat {
bool JournalFollower::open(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return false;
  }
  fd_ = std::move(fd);
  inode_ = status.st_ino;
  offset_ = 0;
  rest_.clear();
  return true;
}

// The file that the journal was continued from comes first.
Result<bool> JournalFollower::open_first() {
  if (fd_ || (is_continued(path_) && open(journal_before(path_))) || open(path_)) {
    return true;
  }
  return unreadable_journal(path_, errno);
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
  return open(path_);
}

// Between two files of a journal the one that was read has another name.
bool JournalFollower::is_deleted() const {
  struct stat named {};
  struct stat read {};
  return fd_ && ::stat(path_.c_str(), &named) != 0 && ::fstat(fd_.get(), &read) == 0 &&
         read.st_nlink == 0;
}

Result<bool> JournalFollower::take_lines(const VisitEntry& visit, Progress& progress) {
  std::size_t begin = 0;
  for (std::size_t end = rest_.find('\n'); end != std::string::npos;
       end = rest_.find('\n', begin)) {
    const std::string_view text = std::string_view(rest_).substr(begin, end - begin);
    begin = end + 1;
    if (text.empty()) {
      continue;
    }
    const Result<std::optional<JournalEntry>> entry = read_journal_line(path_, text);
    if (!entry) {
      return entry.failure();
    }
    if (entry.value()) {
      visit(*entry.value());
      ++progress.lines;
    } else {
      ++damaged_;
    }
  }
  rest_.erase(0, begin);
  if (rest_.size() > kMaxJournalLine) {
    rest_.clear();  // not ours: the rest of it will come out damaged
  }
  return true;
}

Result<JournalFollower::Progress> JournalFollower::read_on(const VisitEntry& visit) {
  Progress progress;
  if (const Result<bool> is_open = open_first(); !is_open) {
    return is_open.failure();
  }
  std::vector<char> buffer(256 << 10);
  for (std::size_t taken = 0; taken < kMaxBytes;) {
    const ssize_t got = ::pread(fd_.get(), buffer.data(), buffer.size(), offset_);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return unreadable_journal(path_, errno);
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
  }
  progress.more = true;
  return progress;
}

}  // namespace qanat
