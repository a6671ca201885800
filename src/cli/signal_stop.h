// SIGINT, SIGTERM and SIGHUP as a stop token.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace qanat {

// Fixture, made first thing in main, before any other thread: blocks these signals in the calling
// thread (later threads inherit that) and waits for them in a thread of its own. The first signal
// requests stop; a second one ends the process at once, for users who mean it. The destructor
// returns at once.
class SignalStop {
 public:
  SignalStop();
  SignalStop(const SignalStop&) = delete;
  SignalStop& operator=(const SignalStop&) = delete;
  ~SignalStop();

  std::stop_token token() const { return source_.get_token(); }
  // 0 when none came.
  int signal() const { return signal_.load(); }

 private:
  void wait_for_signals(const std::stop_token& end);

  std::stop_source source_;
  std::atomic<int> signal_ = 0;
  std::jthread thread_;  // last: uses the fields above
};

}  // namespace qanat
