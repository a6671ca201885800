#include "monitor/thread_clocks.h"

#include <map>

#include "monitor/kernel_files.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr double kNanosecond = 1e-9;

// "load-12", "train/0" and "precompute 3" without the number.
std::string group_of(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789");
  if (digits == std::string_view::npos || digits + 1 == name.size()) {
    return std::string(name);
  }
  const std::size_t end = name.find_last_not_of("-_ #:/", digits);
  return std::string(name.substr(0, end == std::string_view::npos ? digits + 1 : end + 1));
}

// "running waiting slices", the first two in nanoseconds.
bool add_clock(const fs::path& task, std::map<std::string, ThreadClock>& groups) {
  const std::optional<std::string> text = read_kernel_file(task / "schedstat");
  if (!text) {
    return false;
  }
  const std::vector<std::string_view> fields = words(*text);
  const auto running = fields.size() < 2 ? std::nullopt : to_integer(fields[0]);
  const auto waiting = fields.size() < 2 ? std::nullopt : to_integer(fields[1]);
  if (!running || !waiting) {
    return false;
  }
  const std::string comm = read_kernel_file(task / "comm").value_or("unnamed");
  ThreadClock& clock = groups[group_of(trimmed(comm))];
  ++clock.threads;
  clock.running += static_cast<double>(*running) * kNanosecond;
  clock.waiting += static_cast<double>(*waiting) * kNanosecond;
  return true;
}

}  // namespace

Reading<std::vector<ThreadClock>> read_thread_clocks(const fs::path& root) {
  const fs::path folder = root / "proc/self/task";
  std::error_code error;
  fs::directory_iterator tasks(folder, error);
  if (error) {
    return Reading<std::vector<ThreadClock>>::none(folder.string() + ": " + error.message());
  }
  std::map<std::string, ThreadClock> groups;
  // A thread may end while it is being read: then it is skipped.
  for (; !error && tasks != fs::directory_iterator(); tasks.increment(error)) {
    add_clock(tasks->path(), groups);
  }
  if (groups.empty()) {
    return Reading<std::vector<ThreadClock>>::none(
        "no thread has a schedstat; the kernel was built without it");
  }
  std::vector<ThreadClock> clocks;
  for (auto& [name, clock] : groups) {
    clock.name = name;
    clocks.push_back(std::move(clock));
  }
  return clocks;
}

}  // namespace qanat
