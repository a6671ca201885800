#include "selftest/fault_injection.h"

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/thread.h"
#include "batch/random.h"
#include "locale/message_error.h"
#include "metrics/usage.h"

namespace qanat {
namespace {

constexpr Seconds kQuotaPeriod{0.02};
constexpr std::size_t kPage = 4096;
constexpr std::size_t kPages = 4096;  // of the file whose pages are taken away

// The injected fault itself: a file, lock or quota that answers this late. Nothing is awaited.
void wait_for(Seconds time) {
  if (time > Seconds{0}) {
    std::this_thread::sleep_for(time);
  }
}

// Processor time, not time on the wall: a thread that is not scheduled does no work.
void compute_for(Seconds time) {
  if (time <= Seconds{0}) {
    return;
  }
  timespec now{};
  const auto used = [&now] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return Seconds(static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec));
  };
  const Seconds end = used() + time;
  while (used() < end) {
  }
}

// A file of which any page can be put out of memory and asked for again.
class ColdFile {
 public:
  ColdFile() {
    std::string name = (std::filesystem::temp_directory_path() / "qanat-cold-XXXXXX").string();
    fd_ = UniqueFd(::mkstemp(name.data()));
    if (!fd_ || ::ftruncate(fd_.get(), kPage * kPages) != 0) {
      throw MessageError(to_message(
          {.path = name, .action = FileAction::create, .error = errno, .flag = "TMPDIR"}));
    }
    ::unlink(name.c_str());
    const std::string page(kPage, 'q');
    for (std::size_t i = 0; i < kPages; ++i) {
      if (::pwrite(fd_.get(), page.data(), kPage, static_cast<off_t>(i * kPage)) < 0) {
        throw MessageError(to_message(
            {.path = name, .action = FileAction::write, .error = errno, .flag = "TMPDIR"}));
      }
    }
    ::fsync(fd_.get());
    memory_ = ::mmap(nullptr, kPage * kPages, PROT_READ, MAP_SHARED, fd_.get(), 0);
    if (memory_ == MAP_FAILED) {
      throw MessageError(
          to_message({.path = name, .action = FileAction::map, .error = errno, .flag = "TMPDIR"}));
    }
    ::madvise(memory_, kPage * kPages, MADV_RANDOM);
  }
  ColdFile(const ColdFile&) = delete;
  ColdFile& operator=(const ColdFile&) = delete;
  ~ColdFile() { ::munmap(memory_, kPage * kPages); }

  void touch(int pages) {
    for (int i = 0; i < pages; ++i) {
      const std::size_t page = next_.fetch_add(7) % kPages;
      char* const at = static_cast<char*>(memory_) + page * kPage;
      ::madvise(at, kPage, MADV_DONTNEED);
      ::posix_fadvise(fd_.get(), static_cast<off_t>(page * kPage), kPage, POSIX_FADV_DONTNEED);
      sum_.fetch_add(*static_cast<volatile char*>(at));
    }
  }

 private:
  UniqueFd fd_;
  void* memory_ = nullptr;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::int64_t> sum_{0};
};

// What the fillers of a faulty source share.
struct SharedFaults {
  explicit SharedFaults(const RowFaults& injected) : faults(injected), start(Clock::now()) {
    if (faults.pages > 0) {
      cold.emplace();
    }
  }

  const RowFaults faults;
  const Clock::time_point start;
  std::mutex lock;  // guards nothing: it is only held
  std::atomic<std::int64_t> rows{0};
  std::optional<ColdFile> cold;
};

class FaultyFiller final : public RowFiller {
 public:
  FaultyFiller(std::unique_ptr<RowFiller> inner, SharedFaults& shared)
      : inner_(std::move(inner)), shared_(shared) {}

  Result<FilledRow> fill(std::uint32_t item, const RowView& row) override {
    const Clock::time_point start = Clock::now();
    const RowFaults& faults = shared_.faults;
    wait_for_quota();
    wait_for(faults.read + burst_read() + slow_read(item));
    if (shared_.cold) {
      shared_.cold->touch(faults.pages);
    }
    compute_for(faults.compute);
    const Seconds decode = seconds_since(start);
    const Seconds lock_wait = hold_lock();
    Result<FilledRow> filled = inner_->fill(item, row);
    if (filled) {
      filled.value().times.decode += decode;
      filled.value().times.lock += lock_wait;
    }
    return filled;
  }

 private:
  // Runs in the first part of every period, like the threads of a group whose quota is used up
  // early.
  void wait_for_quota() const {
    const RowFaults& faults = shared_.faults;
    if (faults.quota >= 1) {
      return;
    }
    const double periods = seconds_since(shared_.start) / kQuotaPeriod;
    const double inside = periods - std::floor(periods);
    if (inside > faults.quota) {
      wait_for((1 - inside) * kQuotaPeriod);
    }
  }

  Seconds burst_read() {
    const RowFaults& faults = shared_.faults;
    if (faults.burst <= 0) {
      return Seconds{0};
    }
    const std::int64_t stretch = shared_.rows.fetch_add(1) / faults.burst;
    const bool is_slow = mix_bits(static_cast<std::uint64_t>(stretch) + 1) % 2 == 0;
    return is_slow ? faults.burst_read : Seconds{0};
  }

  Seconds slow_read(std::uint32_t item) const {
    const RowFaults& faults = shared_.faults;
    const bool is_slow =
        faults.slow_every > 0 && item % static_cast<std::uint32_t>(faults.slow_every) == 0;
    return is_slow ? faults.slow : Seconds{0};
  }

  // Returns how long the lock was waited for.
  Seconds hold_lock() {
    if (shared_.faults.locked <= Seconds{0}) {
      return Seconds{0};
    }
    const Clock::time_point start = Clock::now();
    const std::lock_guard held(shared_.lock);
    const Seconds waited = seconds_since(start);
    wait_for(shared_.faults.locked);
    return waited;
  }

  const std::unique_ptr<RowFiller> inner_;
  SharedFaults& shared_;
};

class FaultySource final : public RowSource {
 public:
  FaultySource(std::unique_ptr<RowSource> inner, const RowFaults& faults)
      : inner_(std::move(inner)), shared_(std::make_unique<SharedFaults>(faults)) {}

  std::unique_ptr<RowFiller> make_filler() const override {
    return std::make_unique<FaultyFiller>(inner_->make_filler(), *shared_);
  }
  std::string describe(std::uint32_t item) const override { return inner_->describe(item); }
  void expect(std::span<const std::uint32_t> items) override { inner_->expect(items); }

 private:
  const std::unique_ptr<RowSource> inner_;
  const std::unique_ptr<SharedFaults> shared_;  // fillers change it through the const source
};

pid_t start_spinning(Seconds lifetime) {
  std::string seconds = fmt::format("{:.0f}", std::ceil(lifetime.count()));
  std::string timeout = "timeout";
  std::string shell = "sh";
  std::string option = "-c";
  std::string loop = "while :; do :; done";
  char* const arguments[] = {
      timeout.data(), seconds.data(), shell.data(), option.data(), loop.data(), nullptr};
  pid_t process = -1;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // one signal ends both
  posix_spawnattr_setpgroup(&attributes, 0);
  const int failed = ::posix_spawnp(&process, "timeout", nullptr, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    throw MessageError(to_message(
        {.path = "timeout(1)", .action = FileAction::open, .error = failed, .flag = ""}));
  }
  return process;
}

}  // namespace

bool RowFaults::any() const {
  return read > Seconds{0} || compute > Seconds{0} || locked > Seconds{0} || slow_every > 0 ||
         burst > 0 || pages > 0 || quota < 1;
}

std::unique_ptr<RowSource> with_faults(std::unique_ptr<RowSource> rows, const RowFaults& faults) {
  if (!faults.any()) {
    return rows;
  }
  return std::make_unique<FaultySource>(std::move(rows), faults);
}

void StallingObserver::on_step(const StepRecord& record) {
  if (stalls_.log_every > 0 && (record.step + 1) % stalls_.log_every == 0) {
    wait_for(stalls_.log);
  }
}

void StallingObserver::on_save(std::int64_t step) {
  if (stalls_.save_every > 0 && step % stalls_.save_every == 0) {
    wait_for(stalls_.save);
  }
}

SpinningThreads::SpinningThreads(int count) {
  for (int i = 0; i < count; ++i) {
    threads_.push_back(start_thread(fmt::format("spin-{}", i), [](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        compute_for(Seconds{0.001});
      }
    }));
  }
}

SpinningProcesses::SpinningProcesses(int count, Seconds lifetime) {
  for (int i = 0; i < count; ++i) {
    processes_.push_back(start_spinning(lifetime));
  }
}

SpinningProcesses::~SpinningProcesses() {
  for (const pid_t process : processes_) {
    ::kill(-process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }
}

}  // namespace qanat
