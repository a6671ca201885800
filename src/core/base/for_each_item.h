// Runs one function over many items on several threads.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "base/progress.h"

namespace qanat {

struct ParallelOptions {
  int threads = 0;  // 0: one per core this process may use
  ProgressFn progress;
  std::stop_token stop;
};

int num_threads(const ParallelOptions& options);

// Calls body(worker, item) once for every item below `count`; worker is below
// num_threads(options) and no two calls with the same worker overlap, so it may index scratch.
// Returns when all is done, or soon after `stop`: then false. The first exception ends the work
// and is rethrown here.
bool for_each_item(std::size_t count,
                   const ParallelOptions& options,
                   const std::function<void(int worker, std::size_t item)>& body);

}  // namespace qanat
