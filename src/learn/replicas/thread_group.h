// Threads of this process as a group, for tests and measurements: with delays before every call and
// a link that carries so many bytes a second.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "replicas/process_group.h"

namespace qanat {

struct ThreadGroupOptions {
  int world = 2;
  Seconds max_delay{0};         // before every call, drawn at random
  double bytes_per_second = 0;  // of the link of a rank; 0: carries everything at once
  std::uint64_t seed = 1;
  bool one_host = false;  // all on one machine; else each on one of its own
  Seconds timeout{60.0};  // after which a rank that does not come is lost
};

// One for each thread, by rank. They may go in any order, once their calls have returned.
std::vector<std::unique_ptr<ProcessGroup>> make_thread_groups(const ThreadGroupOptions& options);

}  // namespace qanat
