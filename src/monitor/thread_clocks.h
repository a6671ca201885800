// How long the threads of this process ran, and how long they were ready but had no core.
//
// Threads are summed by name without its number: "load-0" and "load-1" are "load", "train/0" is
// "train". A thread that libtorch starts carries the name of the thread that asked for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "monitor/reading.h"

namespace qanat {

struct ThreadClock {
  std::string name;
  int threads = 0;
  double running = 0;  // s on a core
  double waiting = 0;  // s ready, in the run queue

  bool operator==(const ThreadClock&) const = default;
};

// Sorted by name. Takes about 20 us per thread.
Reading<std::vector<ThreadClock>> read_thread_clocks(const std::filesystem::path& root);

}  // namespace qanat
