#include "base/thread.h"

#include <algorithm>
#include <csignal>
#include <system_error>
#include <utility>

#include <pthread.h>
#include <sched.h>

#include "base/error.h"

namespace qanat {

namespace {

// The system gives no more: one of its limits is reached.
[[noreturn]] void refuse_thread(const std::string& name, const std::system_error& error) {
  throw Error(
      "thread {}: cannot start: {}; the limit of processes and threads (`ulimit -u`, pids.max of a "
      "container) or of address space (`ulimit -v`) is reached; try to raise it, or fewer "
      "--num-workers",
      name,
      error.code().message());
}

}  // namespace

std::jthread start_thread(std::string name, std::function<void(std::stop_token)> body) {
  // A thread inherits its creator's mask: block, start, restore. No window in between.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  name.resize(std::min<std::size_t>(name.size(), 15));  // the kernel's limit
  try {
    std::jthread thread([name, body = std::move(body)](std::stop_token stop) {
      pthread_setname_np(pthread_self(), name.c_str());
      body(std::move(stop));
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    refuse_thread(name, error);
  }
}

void stay_on_cores(const std::vector<int>& cores) {
  if (cores.empty()) {
    return;
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    CPU_SET(static_cast<std::size_t>(core), &set);
  }
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

}  // namespace qanat
