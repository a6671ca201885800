// How long-running work reports its progress to the caller.
#pragma once

#include <cstdint>
#include <functional>

namespace qanat {

// Called from one thread at a time, as often as the work likes; must not block. Rendering and
// throttling are the receiver's business (cli/progress_line.h). An empty function is allowed.
using ProgressFn = std::function<void(std::int64_t done, std::int64_t total)>;

}  // namespace qanat
