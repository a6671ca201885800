#include "text/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/evaluate.h"
#include "locale/messages/file_errors.h"
#include "locale/messages/languages.h"

namespace qanat {
namespace {

Failure not_started(const std::string& program, int error) {
  return to_failure(msg::set_refused{
      .file = program, .why = msg::child_not_started{.reason = system_reason(error)}});
}

Failure not_heard(int error) {
  return to_failure(msg::cannot_read{.reason = system_reason(error)});
}

// It may end while something is on its way to it.
bool has_ended(int error) {
  return error == EPIPE || error == ECONNRESET;
}

// What posix_spawn is told, released whatever happens.
class SpawnPlan {
 public:
  SpawnPlan(int socket, ChildMessages messages) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, socket, STDOUT_FILENO);
    if (messages == ChildMessages::dropped) {
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<ChildProcess> ChildProcess::start(std::span<const std::string> command,
                                         ChildMessages messages) {
  std::array<int, 2> ends = {-1, -1};
  // A socket, not two pipes: writing to a program that is gone can then fail without SIGPIPE.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return not_started(command[0], errno);
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  std::vector<std::string> arguments(command.begin(), command.end());
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  const SpawnPlan plan(theirs.get(), messages);
  pid_t pid = -1;
  const int error = ::posix_spawnp(
      &pid, pointers[0], plan.actions(), plan.attributes(), pointers.data(), environ);
  if (error != 0) {
    return not_started(command[0], error);
  }
  return ChildProcess(std::move(ours), pid);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : socket_(std::move(other.socket_)),
      pid_(std::exchange(other.pid_, -1)),
      received_(std::move(other.received_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    end();
    socket_ = std::move(other.socket_);
    pid_ = std::exchange(other.pid_, -1);
    received_ = std::move(other.received_);
  }
  return *this;
}

ChildProcess::~ChildProcess() {
  end();
}

void ChildProcess::end() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);  // with whatever it started
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }
}

Result<Done> ChildProcess::wait_until_ready(short events, Clock::time_point deadline) const {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      return to_failure(msg::child_no_answer{});
    }
    pollfd poll_fd{.fd = socket_.get(), .events = events, .revents = 0};
    const int ready = ::poll(&poll_fd, 1, static_cast<int>(std::min<long>(left.count(), 60'000)));
    if (ready > 0) {
      return Done{};
    }
    if (ready < 0 && errno != EINTR) {
      return not_heard(errno);
    }
  }
}

bool ChildProcess::has_more() const {
  std::array<char, 1> byte;
  return !received_.empty() ||
         ::recv(socket_.get(), byte.data(), byte.size(), MSG_DONTWAIT | MSG_PEEK) > 0;
}

Result<Done> ChildProcess::write(std::string_view text, Clock::time_point deadline) {
  while (!text.empty()) {
    Result<Done> ready = wait_until_ready(POLLOUT, deadline);
    if (!ready) {
      return ready;
    }
    const ssize_t sent =
        ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && has_ended(errno)) {
      return to_failure(msg::child_ended{});
    }
    if (sent < 0 && errno != EINTR && errno != EAGAIN) {
      return to_failure(msg::set_refused{.file = "stdin", .why = system_reason(errno)});
    }
    text.remove_prefix(sent > 0 ? static_cast<std::size_t>(sent) : 0);
  }
  return Done{};
}

Result<std::string> ChildProcess::read_line(Clock::time_point deadline) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = received_.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    searched = received_.size();
    if (searched > kMaxChildLine) {
      return to_failure(msg::child_endless_line{});
    }
    if (const Result<Done> ready = wait_until_ready(POLLIN, deadline); !ready) {
      return ready.failure();
    }
    std::array<char, 4096> block;
    const ssize_t got = ::recv(socket_.get(), block.data(), block.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && has_ended(errno))) {
      return to_failure(msg::child_ended{});
    }
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
      return not_heard(errno);
    }
    received_.append(block.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  }
}

}  // namespace qanat
