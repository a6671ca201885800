// Threads that watch a run, and do not carry it, let those that do go first.
#pragma once

#include <sys/resource.h>

namespace qanat {

// For the calling thread: on Linux each has a nice value of its own. Best effort.
inline void lower_priority() {
  constexpr int kNice = 10;
  ::setpriority(PRIO_PROCESS, 0, kNice);
}

}  // namespace qanat
