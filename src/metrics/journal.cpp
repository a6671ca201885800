#include "metrics/journal.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace qanat {
namespace {

constexpr std::string_view kHeaderKind = "journal";

UniqueFd open_for_append(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) {
    throw Error("{}: cannot open the journal: {}", path.string(), std::strerror(errno));
  }
  return fd;
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
std::string to_line(std::string_view kind, Seconds time, const nlohmann::json& fields) {
  nlohmann::ordered_json line;
  line["kind"] = kind;
  line["t"] = std::round(time.count() * 1e6) / 1e6;
  for (const auto& [name, value] : fields.items()) {
    line[name] = value;
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace

RunJournal::RunJournal(const std::filesystem::path& path, const nlohmann::json& header)
    : path_(path), fd_(open_for_append(path)) {
  nlohmann::json fields = header;
  fields["format"] = kFormat;
  fields["started"] = utc_now();
  std::string line = to_line(kHeaderKind, Seconds{0}, fields);
  if (ends_inside_a_line(fd_.get())) {
    line.insert(0, 1, '\n');
  }
  write_line(line);
}

void RunJournal::record(const Event& event) {
  write_line(to_line(event.kind, seconds_since(start_), event.fields));
}

void RunJournal::write_line(std::string_view line) {
  const std::lock_guard lock(mutex_);
  while (!line.empty()) {
    const ssize_t put = ::write(fd_.get(), line.data(), line.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      throw Error("{}: cannot write the journal: {}", path_.string(), std::strerror(errno));
    }
    line.remove_prefix(static_cast<std::size_t>(put));
  }
}

void EventList::record(const Event& event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(event);
}

std::vector<Event> EventList::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

std::vector<Event> EventList::events(std::string_view kind) const {
  const std::lock_guard lock(mutex_);
  std::vector<Event> found;
  for (const Event& event : events_) {
    if (event.kind == kind) {
      found.push_back(event);
    }
  }
  return found;
}

Result<JournalContents> read_journal(const std::filesystem::path& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) {
    return text.failure();
  }
  JournalContents contents;
  std::string_view rest = text.value();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) {
      contents.damaged_lines += line.empty() ? 0 : 1;
      continue;
    }
    if (object.value("kind", "") == kHeaderKind &&
        object.value("format", 0) > RunJournal::kFormat) {
      return Failure{fmt::format("{}: journal format {}; expected at most {}; try a newer qanat",
                                 path.string(),
                                 object.value("format", 0),
                                 RunJournal::kFormat)};
    }
    contents.lines.push_back(std::move(object));
  }
  return contents;
}

}  // namespace qanat
