#include "checkpoint_files/folder_lock.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
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
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"

namespace qanat {
namespace {

constexpr const char* kLockName = "training.lock";

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string describe_self() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const nlohmann::json self{{"pid", ::getpid()},
                            {"host", host_name()},
                            {"since", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))}};
  return self.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + '\n';
}

struct LockHolder {
  pid_t pid = 0;
  std::string host;
  std::string since;
};

// A pid of 0: the text does not say.
LockHolder to_holder(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  LockHolder holder;
  try {
    holder = {.pid = json.at("pid").get<pid_t>(),
              .host = json.at("host").get<std::string>(),
              .since = json.at("since").get<std::string>()};
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

enum class Locking { done, held, unknown };

Locking try_lock(int fd) {
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

bool may_be_alive(const std::string& text) {
  const LockHolder holder = to_holder(text);
  if (holder.pid <= 0) {
    return false;  // torn: whoever wrote it was killed, or is about to be the second
  }
  return holder.host != host_name() || ::kill(holder.pid, 0) == 0 || errno == EPERM;
}

FolderLock::FolderLock(const std::filesystem::path& folder) : path_(folder / kLockName) {
  do {
    fd_ = UniqueFd(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!fd_) {
      FileTrouble trouble{.path = path_.string(),
                          .action = FileAction::create,
                          .error = errno,
                          .flag = "--checkpoint-dir"};
      throw MessageError(to_message(trouble));
    }
    const Locking locking = try_lock(fd_.get());
    const std::string holder = read_holder(fd_.get());
    if (locking == Locking::held || (locking == Locking::unknown && may_be_alive(holder))) {
      refuse(path_, holder);
    }
  } while (!is_still_named(fd_.get(), path_));
  const std::string self = describe_self();
  if (::ftruncate(fd_.get(), 0) != 0 ||
      ::pwrite(fd_.get(), self.data(), self.size(), 0) != static_cast<ssize_t>(self.size())) {
    // Only the name of the holder is missing from the message of a second training.
  }
}

FolderLock::~FolderLock() {
  std::error_code error;
  std::filesystem::remove(path_, error);
}

}  // namespace qanat
