// QANAT_CHECK(condition) << "context": a bug, not user input, ends the program with its place.
#pragma once

#include <sstream>

namespace qanat {

// Collects the message and aborts when the full expression ends.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  std::ostream& stream() { return message_; }

 private:
  std::ostringstream message_;
};

}  // namespace qanat

#define QANAT_CHECK(condition) \
  if (condition) {             \
  } else                       \
    ::qanat::CheckFailure(__FILE__, __LINE__, #condition).stream()
