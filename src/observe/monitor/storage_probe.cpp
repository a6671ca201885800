#include "monitor/storage_probe.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/files.h"
#include "metrics/order_statistics.h"
#include "monitor/host_counters.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr double kColdShare = 0.7;      // of the time goes to the slower pass
constexpr double kFromStorage = 0.5;    // of the bytes: below, the cache was not empty
constexpr double kClearlySlower = 2.0;  // than from the cache

struct FileRead {
  double open = 0;  // s
  double all = 0;   // s
  double bytes = 0;
};

// How much a pass may still do.
struct Allowance {
  Clock::time_point until;
  double bytes = 0;
  std::stop_token stop;

  bool used_up() const { return Clock::now() >= until || bytes <= 0 || stop.stop_requested(); }
};

// Nothing when the file cannot be read.
std::optional<FileRead> time_file_read(const fs::path& path,
                                       std::vector<char>& buffer,
                                       Allowance& allowance) {
  const Clock::time_point begin = Clock::now();
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    return std::nullopt;
  }
  FileRead read{.open = seconds_since(begin).count()};
  ssize_t count = 0;
  while ((count = ::read(fd.get(), buffer.data(), buffer.size())) > 0) {
    read.bytes += static_cast<double>(count);
    allowance.bytes -= static_cast<double>(count);
    if (allowance.used_up()) {
      break;
    }
  }
  read.all = seconds_since(begin).count();
  return count < 0 ? std::nullopt : std::optional(read);
}

// Clean pages that nobody has mapped go; the kernel says nothing about the others.
void empty_cache_of(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd) {
    (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

ReadPass summarise(const std::vector<FileRead>& reads) {
  std::vector<double> opens;
  std::vector<double> whole;
  ReadPass pass{.files = static_cast<int>(reads.size())};
  for (const FileRead& read : reads) {
    opens.push_back(read.open);
    whole.push_back(read.all);
    pass.bytes += read.bytes;
    pass.seconds += read.all;
  }
  pass.open_p50 = quantile(opens, 0.5);
  pass.open_p95 = quantile(opens, 0.95);
  pass.file_p50 = quantile(whole, 0.5);
  pass.file_p95 = quantile(whole, 0.95);
  return pass;
}

// A random sample of the files, read twice.
class Probe {
 public:
  Probe(const std::vector<fs::path>& files, const StorageProbeOptions& options)
      : options_(options), files_(files), random_(options.seed) {
    std::ranges::shuffle(files_, random_);
    files_.resize(std::min(files_.size(), static_cast<std::size_t>(options.most_files)));
  }

  Result<StorageReading> run(int files_known) {
    const Reading<double> before = from_storage();
    const std::vector<FileRead> cold = read_pass(kColdShare, /*empty_first=*/true);
    const Reading<double> after = from_storage();
    if (cold.empty()) {
      return Failure{why_nothing()};
    }
    std::erase_if(files_, [this](const fs::path& path) { return !was_read(path); });
    std::ranges::shuffle(files_, random_);
    const std::vector<FileRead> warm = read_pass(1 - kColdShare, /*empty_first=*/false);
    StorageReading reading{.files_known = files_known, .unreadable = unreadable_};
    const ReadPass first = summarise(cold);
    reading.mean_file_bytes = first.bytes / first.files;
    reading.warm = warm.empty() ? Reading<ReadPass>::none("no time was left") : summarise(warm);
    reading.cold = judge(first, before, after, reading.warm);
    return reading;
  }

 private:
  Reading<double> from_storage() const { return read_host_counters(options_.root).storage_bytes; }

  std::vector<FileRead> read_pass(double share, bool empty_first) {
    Allowance allowance{.until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                    share * options_.timeout),
                        .bytes = static_cast<double>(options_.most.value),
                        .stop = options_.stop};
    std::vector<FileRead> reads;
    for (const fs::path& path : files_) {
      if (allowance.used_up()) {
        break;
      }
      if (empty_first) {
        empty_cache_of(path);
      }
      if (const auto read = time_file_read(path, buffer_, allowance)) {
        reads.push_back(*read);
        read_.push_back(path);
      } else if (empty_first) {
        ++unreadable_;
        last_error_ = fmt::format("{}: {}", path.string(), std::strerror(errno));
      }
    }
    std::ranges::sort(read_);
    return reads;
  }

  bool was_read(const fs::path& path) const { return std::ranges::binary_search(read_, path); }

  std::string why_nothing() const {
    if (files_.empty()) {
      return "there are no files to read";
    }
    return last_error_.empty() ? "stopped before a file was read" : last_error_;
  }

  static Reading<ReadPass> judge(const ReadPass& pass,
                                 const Reading<double>& before,
                                 const Reading<double>& after,
                                 const Reading<ReadPass>& warm) {
    const bool counted = before && after && *after - *before >= kFromStorage * pass.bytes;
    // Some network file systems are not counted; what is so much slower was not in the cache.
    const bool slower = warm && pass.file_p50 >= kClearlySlower * (*warm).file_p50;
    if (counted || slower) {
      return pass;
    }
    if (!before) {
      return Reading<ReadPass>::none("whether files came from storage cannot be told: " +
                                     before.why_not());
    }
    return Reading<ReadPass>::none(fmt::format(
        "the page cache kept the files ({:.0f} % came from storage): they are held in memory, "
        "mapped by another process, or not written out yet",
        100 * (*after - *before) / std::max(pass.bytes, 1.0)));
  }

  const StorageProbeOptions& options_;
  std::vector<fs::path> files_;
  std::vector<fs::path> read_;
  std::mt19937_64 random_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{256} << 10);
  int unreadable_ = 0;
  std::string last_error_;
};

nlohmann::json to_json(const Reading<ReadPass>& reading) {
  if (!reading) {
    return {{"unknown", reading.why_not()}};
  }
  const ReadPass& pass = *reading;
  return {{"files", pass.files},
          {"bytes", pass.bytes},
          {"seconds", pass.seconds},
          {"open_p50", pass.open_p50},
          {"open_p95", pass.open_p95},
          {"file_p50", pass.file_p50},
          {"file_p95", pass.file_p95}};
}

}  // namespace

Result<StorageReading> probe_storage(const std::vector<fs::path>& files,
                                     const StorageProbeOptions& options) {
  return Probe(files, options).run(static_cast<int>(files.size()));
}

nlohmann::json to_json(const StorageReading& reading) {
  return {{"files_known", reading.files_known},
          {"unreadable", reading.unreadable},
          {"mean_file_bytes", reading.mean_file_bytes},
          {"cold", to_json(reading.cold)},
          {"warm", to_json(reading.warm)}};
}

}  // namespace qanat
