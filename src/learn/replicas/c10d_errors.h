// What c10d says when it fails, without the stack it says it with.
#pragma once

#include <exception>
#include <string>

namespace qanat {

inline std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

}  // namespace qanat
