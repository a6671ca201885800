// Errors and failures that are said in the language of whoever meets them; what() and `what` are
// their English.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "base/message.h"
#include "base/result.h"
#include "locale/translator.h"

namespace qanat {

// Why the system refused; said as it says it where it is rare.
MessageArg system_reason(int error);
// What it refused, and why.
Message to_message(const FileTrouble& trouble);

inline Failure to_failure(Message message) {
  std::string what = Translator().tr(message);
  return {.what = std::move(what), .message = std::move(message)};
}

class MessageError : public Error {
 public:
  explicit MessageError(Message message) : Error(to_failure(std::move(message))) {}

  const Message& message() const { return failure().message; }
};

// What went wrong: its message, or the English text of what has none.
inline MessageArg reason_of(const Failure& failure) {
  return failure.message   ? MessageArg(failure.message)
         : failure.trouble ? MessageArg(to_message(*failure.trouble))
                           : MessageArg(failure.what);
}
inline MessageArg reason_of(const std::exception& error) {
  const auto* const known = dynamic_cast<const Error*>(&error);
  return known != nullptr ? reason_of(known->failure()) : MessageArg(error.what());
}

}  // namespace qanat
