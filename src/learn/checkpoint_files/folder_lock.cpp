#include "checkpoint_files/folder_lock.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/chrono.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/retry.h"
#include "base/thread.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"

namespace qanat {
namespace {

constexpr const char* kLockName = "training.lock";

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string describe_self(Seconds heartbeat) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const nlohmann::json self{{"pid", ::getpid()},
                            {"host", host_name()},
                            {"since", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
                            {"heartbeat", heartbeat.count()}};
  return self.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + '\n';
}

struct LockHolder {
  pid_t pid = 0;
  std::string host;
  std::string since;
  bool has_heartbeat = false;  // absent from the files of earlier versions
};

// A pid of 0: the text does not say.
LockHolder to_holder(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  LockHolder holder;
  try {
    holder = {.pid = json.at("pid").get<pid_t>(),
              .host = json.at("host").get<std::string>(),
              .since = json.at("since").get<std::string>(),
              .has_heartbeat = json.contains("heartbeat")};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return holder;
}

std::string read_holder(int fd) {
  std::array<char, 1024> text{};
  const ssize_t count = ::pread(fd, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& text) {
  const LockHolder holder = to_holder(text);
  const Message who =
      holder.pid == 0
          ? Message(msg::lock_unknown_holder{})
          : Message(msg::lock_holder{
                .pid = std::to_string(holder.pid), .host = holder.host, .since = holder.since});
  throw MessageError(
      msg::lock_held{.folder = path.parent_path().string(), .who = who, .file = path.string()});
}

// Whether the path still names the file: its last holder removes it before letting go.
bool is_still_named(int fd, const std::filesystem::path& path) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(fd, &ours) == 0 && ::stat(path.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

// Since the holder touched it.
Seconds silence_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return Seconds{0};
  }
  const auto touched = std::chrono::seconds(status.st_mtim.tv_sec) +
                       std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  return std::chrono::system_clock::now().time_since_epoch() - touched;
}

std::jthread start_heartbeat(int fd, Seconds every) {
  return start_thread("heartbeat", [fd, every](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      ::futimens(fd, nullptr);  // a touch that fails is made up for by the next
      never.wait_for(lock, stop, every, [] { return false; });
    }
  });
}

enum class Locking { done, held, unknown };

Locking try_lock(int fd, FolderLockOptions::Locks locks) {
  if (locks == FolderLockOptions::Locks::none) {
    return Locking::unknown;
  }
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return Locking::held;
    }
    if (errno != EINTR) {
      return Locking::unknown;
    }
  }
  return Locking::done;
}

}  // namespace

bool may_be_alive(const std::string& text, Seconds silence, Seconds lost_after) {
  const LockHolder holder = to_holder(text);
  if (holder.pid <= 0) {
    return false;  // torn: whoever wrote it was killed, or is about to be the second
  }
  if (holder.host != host_name()) {
    return !holder.has_heartbeat || silence < lost_after;
  }
  return ::kill(holder.pid, 0) == 0 || errno == EPERM;
}

FolderLock::FolderLock(const std::filesystem::path& folder, const FolderLockOptions& options)
    : path_(folder / kLockName) {
  Locking locking = Locking::unknown;
  do {
    fd_ = UniqueFd(
        retry_call([this] { return ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644); }));
    if (!fd_) {
      FileTrouble trouble{.path = path_.string(),
                          .action = FileAction::create,
                          .error = errno,
                          .flag = "--checkpoint-dir"};
      throw MessageError(to_message(trouble));
    }
    locking = try_lock(fd_.get(), options.locks);
    const std::string holder = read_holder(fd_.get());
    if (locking == Locking::held ||
        (locking == Locking::unknown &&
         may_be_alive(holder, silence_of(fd_.get()), options.lost_after))) {
      refuse(path_, holder);
    }
  } while (!is_still_named(fd_.get(), path_));
  const std::string self = describe_self(options.heartbeat);
  if (::ftruncate(fd_.get(), 0) != 0 ||
      ::pwrite(fd_.get(), self.data(), self.size(), 0) != static_cast<ssize_t>(self.size())) {
    // Only the name of the holder is missing from the message of a second training.
  }
  if (locking == Locking::unknown) {
    heartbeat_ = start_heartbeat(fd_.get(), options.heartbeat);
  }
}

FolderLock::~FolderLock() {
  heartbeat_ = {};  // before the file that it touches goes
  std::error_code error;
  std::filesystem::remove(path_, error);
}

}  // namespace qanat
