#include "launch/children.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <deque>
#include <fstream>
#include <random>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/replica_place.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"

namespace qanat {
namespace {

constexpr std::size_t kShownLines = 5;

struct Child {
  pid_t pid = -1;
  UniqueFd ended{};  // readable when it has; none before Linux 5.3, and where containers forbid it
  std::filesystem::path log{};
  std::optional<int> status{};  // as waitpid() says it
};

Message describe_status(int status) {
  return WIFSIGNALED(status) ? Message(msg::launch_signal{.signal = WTERMSIG(status)})
                             : Message(msg::launch_exit_code{.code = WEXITSTATUS(status)});
}

int shell_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Makes a list that exec understands; the strings are the caller's.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> list;
  list.reserve(strings.size() + 1);
  for (std::string& text : strings) {
    list.push_back(text.data());
  }
  list.push_back(nullptr);
  return list;
}

// Names of the store's texts begin with it, so nobody else on the machine or the network can guess
// them.
std::string make_secret() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

// What all processes of a run are told.
struct RunPlace {
  int world = 1;
  int port = 0;
  std::string secret;
};

std::vector<std::string> environment_of(int rank, const RunPlace& run) {
  const std::string world = std::to_string(run.world);
  const std::vector<std::pair<std::string, std::string>> ours = {
      {"RANK", std::to_string(rank)},
      {"WORLD_SIZE", world},
      {"LOCAL_RANK", std::to_string(rank)},
      {"LOCAL_WORLD_SIZE", world},
      {"MASTER_ADDR", "127.0.0.1"},
      {"MASTER_PORT", std::to_string(run.port)},
      {kSecretVariable, run.secret}};
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    all.emplace_back(*entry);
  }
  for (const auto& [name, value] : ours) {
    const std::string begin = name + "=";
    std::erase_if(all, [&](const std::string& one) { return one.starts_with(begin); });
    all.push_back(begin + value);
  }
  return all;
}

// In the child, between fork and exec: system calls only.
[[noreturn]] void become(char* const* command, char* const* variables, int output, pid_t parent) {
  ::setpgid(0, 0);  // Ctrl-C reaches the parent alone, which passes it on once
  // Comes once for every thread of the parent that is killed; a second SIGTERM would mean: at once.
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  ::signal(SIGHUP,
           SIG_DFL);  // the parent may have been started with nohup, its death is another matter
  if (::getppid() != parent) {
    ::_exit(1);
  }
  if (output >= 0) {
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(command[0], command, variables);
  ::_exit(127);
}

std::deque<std::string> last_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(std::move(line));
    if (lines.size() > kShownLines) {
      lines.pop_front();
    }
  }
  return lines;
}

class Children {
 public:
  explicit Children(const ChildrenRequest& request)
      : request_(request), stopped_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    make_folders(request_.logs.string(), "--checkpoint-dir");
    const RunPlace run{.world = request_.count, .port = port_.number(), .secret = make_secret()};
    for (int rank = 0; rank < request_.count; ++rank) {
      start(rank, run);
    }
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  // Nobody is left behind when the others could not be started.
  ~Children() {
    signal_all(SIGKILL);
    for (Child& child : children_) {
      if (!child.status) {
        ::waitpid(child.pid, nullptr, 0);
      }
    }
  }

  int wait() {
    const std::stop_callback wake(request_.stop, [this] {
      const std::uint64_t one = 1;
      (void)!::write(stopped_.get(), &one, sizeof(one));
    });
    while (is_running()) {
      wait_for_news();
      collect();
      if (request_.stop.stop_requested() && !std::exchange(is_stopping_, true)) {
        signal_all(SIGTERM);
      }
      if (deadline_ && Clock::now() >= *deadline_) {
        signal_all(SIGKILL);
      }
    }
    return first_failure_ ? shell_code(*children_[*first_failure_].status) : 0;
  }

 private:
  void start(int rank, const RunPlace& run) {
    Child child;
    UniqueFd output;
    const bool has_log = rank > 0 || request_.is_quiet;
    if (has_log) {
      child.log = request_.logs / fmt::format("rank-{}.log", rank);
      output = UniqueFd(::open(child.log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    }
    std::vector<std::string> command = request_.command;
    std::vector<std::string> variables = environment_of(rank, run);
    const std::vector<char*> argv = pointers(command);
    const std::vector<char*> envp = pointers(variables);
    const pid_t parent = ::getpid();
    if (has_log && output.get() < 0) {
      fail(rank);
    }
    child.pid = ::fork();
    if (child.pid == 0) {
      become(argv.data(), envp.data(), output.get(), parent);
    }
    if (child.pid < 0) {
      fail(rank);
    }
    child.ended = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
    children_.push_back(std::move(child));
  }

  [[noreturn]] static void fail(int rank) {
    throw MessageError(msg::launch_not_started{.rank = rank, .reason = system_reason(errno)});
  }

  bool is_running() const {
    return std::ranges::any_of(children_, [](const Child& child) { return !child.status; });
  }

  void signal_all(int signal) const {
    for (const Child& child : children_) {
      if (!child.status) {
        ::kill(child.pid, signal);
      }
    }
  }

  void wait_for_news() const {
    constexpr int kWithoutPidfd = 100;  // ms between two polls of a child that cannot be waited for
    std::vector<pollfd> waited;
    int timeout = -1;
    for (const Child& child : children_) {
      if (!child.status && child.ended) {
        waited.push_back({.fd = child.ended.get(), .events = POLLIN, .revents = 0});
      } else if (!child.status) {
        timeout = kWithoutPidfd;
      }
    }
    if (!is_stopping_) {
      waited.push_back({.fd = stopped_.get(), .events = POLLIN, .revents = 0});
    }
    if (deadline_) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - Clock::now());
      timeout = static_cast<int>(
          std::clamp<std::int64_t>(left.count() + 1, 0, timeout < 0 ? 60'000 : kWithoutPidfd));
    }
    ::poll(waited.data(), waited.size(), timeout);
  }

  void collect() {
    for (std::size_t rank = 0; rank < children_.size(); ++rank) {
      int status = 0;
      Child& child = children_[rank];
      if (child.status || ::waitpid(child.pid, &status, WNOHANG) != child.pid) {
        continue;
      }
      child.status = status;
      const bool is_stop = is_stopping_ && shell_code(status) == 128 + SIGTERM;
      if (status != 0 && !is_stop && !first_failure_) {
        first_failure_ = rank;
        deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(request_.patience);
        describe(rank);
      }
    }
  }

  void describe(std::size_t rank) const {
    const Child& child = children_[rank];
    if (child.log.empty()) {
      request_.say(
          msg::launch_own_child_failed{.rank = rank, .how = describe_status(*child.status)});
      return;
    }
    request_.say(msg::launch_child_failed{
        .rank = rank, .how = describe_status(*child.status), .log = child.log.string()});
    for (const std::string& line : last_lines(child.log)) {
      request_.say(msg::launch_line{.rank = rank, .line = line});
    }
  }

  const ChildrenRequest& request_;
  const UniqueFd stopped_;
  const ReservedPort port_;
  std::vector<Child> children_;  // by rank
  bool is_stopping_ = false;
  std::optional<std::size_t> first_failure_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace

ReservedPort::ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      ::bind(socket_.get(), generic, size) != 0 ||
      ::getsockname(socket_.get(), generic, &size) != 0) {
    throw MessageError(msg::launch_not_started{.rank = 0, .reason = system_reason(errno)});
  }
  number_ = ntohs(address.sin_port);
}

int free_port() {
  return ReservedPort().number();
}

int run_children(const ChildrenRequest& request) {
  return Children(request).wait();
}

}  // namespace qanat
