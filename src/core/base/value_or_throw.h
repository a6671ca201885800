// From an item that failed to a run that failed: the value, or the reason why there is none as an
// Error.
#pragma once

#include <utility>

#include "base/error.h"
#include "base/result.h"

namespace qanat {

template <typename Value>
Value value_or_throw(Result<Value> result) {
  if (!result) {
    throw Error(result.failure());
  }
  return std::move(result).value();
}

}  // namespace qanat
