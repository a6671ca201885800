#include "base/thread.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include <pthread.h>
#include <sched.h>

namespace qanat {

std::jthread start_thread(std::string name, std::function<void(std::stop_token)> body) {
  // A thread inherits its creator's mask: block, start, restore. No window in between.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  name.resize(std::min<std::size_t>(name.size(), 15));  // the kernel's limit
  std::jthread thread([name = std::move(name), body = std::move(body)](std::stop_token stop) {
    pthread_setname_np(pthread_self(), name.c_str());
    body(std::move(stop));
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
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
