// The run failed: configuration, disk full, device lost.
//
// Messages read `what: value; expected ...; try ...`, lower case, without a stack of prefixes.
// Caught in three places only: a pipeline worker (stored, rethrown to the reader), main, and the
// Python boundary.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"

namespace qanat {

class Error : public std::runtime_error {
 public:
  explicit Error(Failure failure)
      : std::runtime_error(failure.what), failure_(std::move(failure)) {}
  explicit Error(const std::string& english) : Error(Failure{english}) {}

  template <typename... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : Error(Failure{fmt::format(format, std::forward<Args>(args)...)}) {}

  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

}  // namespace qanat
