// The run failed: configuration, disk full, device lost.
//
// Messages read `what: value; expected ...; try ...`, lower case, without a stack of prefixes.
// Caught in three places only: a pipeline worker (stored, rethrown to the reader), main, and the
// Python boundary.
#pragma once

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace qanat {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}

  template <typename... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

}  // namespace qanat
