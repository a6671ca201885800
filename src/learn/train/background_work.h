// Does one thing at a time beside the training loop: writing a checkpoint, rendering a sentence.
//
//   work.reserve();                       // waits until the last job is done, rethrows its failure
//   stream.then([&work] { work.start(job); });
//
// reserve(), wait() and is_idle() are for one thread; start() and cancel() may be called from
// another. The destructor waits for the job that runs.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "pipeline/bounded_buffer.h"

namespace qanat {

class BackgroundWork {
 public:
  explicit BackgroundWork(const std::string& name);
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;
  ~BackgroundWork();

  bool is_idle() const;
  // Waits until no job is running; throws what the last job failed with, once.
  void wait();
  // wait(), and the next caller of wait() waits for the job that start() will bring.
  void reserve();
  // The reserved job; does not wait.
  void start(std::function<void()> job);
  // There will be no job after all.
  void cancel();

 private:
  void work();
  void end(std::exception_ptr failure);

  mutable std::mutex mutex_;  // guards busy_ and failure_
  std::condition_variable_any changed_;
  bool busy_ = false;
  std::exception_ptr failure_;
  BoundedBuffer<std::function<void()>> jobs_{1};
  std::jthread thread_;  // last: uses the fields above
};

}  // namespace qanat
