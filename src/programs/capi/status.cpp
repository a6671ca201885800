#include "capi/status.h"

#include <cstring>
#include <exception>
#include <new>

#include "capi/loader_session.h"

namespace qanat {
namespace {

qanat_status status_of(Misuse kind) {
  switch (kind) {
    case Misuse::closed:
      return QANAT_CLOSED;
    case Misuse::busy:
      return QANAT_BUSY;
    case Misuse::held:
      return QANAT_HELD;
    default:
      return QANAT_INVALID;
  }
}

}  // namespace

char* copy_text(const std::string& text) noexcept {
  char* copy = new (std::nothrow) char[text.size() + 1];
  if (copy != nullptr) {
    std::memcpy(copy, text.c_str(), text.size() + 1);
  }
  return copy;
}

qanat_status current_failure(char** why) noexcept {
  const auto failed = [&](qanat_status status, const char* text) {
    if (why != nullptr) {
      *why = copy_text(text);
    }
    return status;
  };
  try {
    throw;
  } catch (const MisuseError& error) {
    return failed(status_of(error.kind()), error.what());
  } catch (const std::exception& error) {
    return failed(QANAT_FAILED, error.what());
  } catch (...) {
    return failed(QANAT_FAILED, "unknown failure");
  }
}

}  // namespace qanat
