#include "cli/signal_stop.h"

#include <csignal>

#include <pthread.h>
#include <unistd.h>

#include "base/thread.h"

namespace qanat {
namespace {

// A program that was started with nohup is meant to survive its terminal.
bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// SIGUSR1 is how the destructor wakes the waiting thread.
sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (!is_ignored(SIGHUP)) {
    sigaddset(&set, SIGHUP);
  }
  sigaddset(&set, SIGUSR1);
  return set;
}

}  // namespace

SignalStop::SignalStop() {
  const sigset_t set = awaited_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = start_thread("signals", [this](const std::stop_token& end) { wait_for_signals(end); });
}

SignalStop::~SignalStop() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), SIGUSR1);
}

void SignalStop::wait_for_signals(const std::stop_token& end) {
  const sigset_t set = awaited_signals();
  while (!end.stop_requested()) {
    int number = 0;
    if (sigwait(&set, &number) != 0 || number == SIGUSR1) {
      continue;
    }
    if (signal_.exchange(number) != 0) {
      ::_exit(128 + number);
    }
    source_.request_stop();
  }
}

}  // namespace qanat
