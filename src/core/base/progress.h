// How long-running work reports its progress to the caller.
#pragma once

#include <cstdint>
#include <functional>

#include "base/message.h"

namespace qanat {

// Called from one thread at a time, as often as the work likes; must not block. Rendering and
// throttling are the receiver's business (cli/progress_line.h). An empty function is allowed.
using ProgressFn = std::function<void(std::int64_t done, std::int64_t total)>;

// A line about the work; may be empty.
using SayFn = std::function<void(const MessageArg& line)>;

// The progress of one thing that takes long: which, and what is counted. May be empty.
using StartProgressFn = std::function<ProgressFn(const Message& what, const Message& unit)>;

}  // namespace qanat
