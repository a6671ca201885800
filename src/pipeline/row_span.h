// Which worker filled which row of which batch, and when: what a trace of the loader is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/time.h"
#include "batch/batch.h"

namespace qanat {

struct RowSpan {
  int worker = 0;
  BatchId batch;
  int row = 0;
  std::uint32_t item = 0;
  std::string utterance{};  // its id, where items have names
  Clock::time_point begin;
  Clock::time_point end;
};

// Called by the worker after each row; must not block.
using RowFn = std::function<void(RowSpan)>;

}  // namespace qanat
