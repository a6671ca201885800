#include "metrics/usage.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace qanat {
namespace {

Seconds to_seconds(const timeval& time) {
  return Seconds(static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec));
}

rusage usage_of(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return usage;
}

UniqueFd open_for_reading(const char* path) {
  return UniqueFd(::open(path, O_RDONLY | O_CLOEXEC));
}

// The beginning of a kernel file, which every read from its start makes again.
std::string read_start(const UniqueFd& file) {
  std::array<char, 512> bytes{};
  const ssize_t count = file ? ::pread(file.get(), bytes.data(), bytes.size(), 0) : -1;
  return count > 0 ? std::string(bytes.data(), static_cast<std::size_t>(count)) : std::string();
}

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

// "read_bytes: 4096" in a file of such lines.
std::optional<Bytes> bytes_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> value = to_number(text.substr(at + key.size()));
  return value ? std::optional(Bytes{*value}) : std::nullopt;
}

}  // namespace

ThreadUsageMeter::ThreadUsageMeter()
    : schedstat_(open_for_reading("/proc/thread-self/schedstat")) {}

ThreadUsage ThreadUsageMeter::read() const {
  const rusage usage = usage_of(RUSAGE_THREAD);
  ThreadUsage result{.cpu = to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime),
                     .major_faults = usage.ru_majflt};
  // "nanoseconds on a processor, nanoseconds waiting for one, times scheduled"
  const std::string text = read_start(schedstat_);
  const std::size_t space = text.find(' ');
  if (space != std::string::npos) {
    const auto cpu = to_number(text);
    const auto delay = to_number(std::string_view(text).substr(space + 1));
    if (cpu && delay) {
      result.cpu = std::chrono::nanoseconds(*cpu);
      result.run_delay = std::chrono::nanoseconds(*delay);
    }
  }
  return result;
}

ProcessUsage read_process_usage() {
  const rusage usage = usage_of(RUSAGE_SELF);
  const std::string io = read_start(open_for_reading("/proc/self/io"));
  return {.cpu = to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime),
          .major_faults = usage.ru_majflt,
          .read = bytes_after(io, "rchar: "),
          .from_storage = bytes_after(io, "\nread_bytes: ")};
}

}  // namespace qanat
