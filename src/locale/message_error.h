// Errors and failures that are said in the language of whoever meets them; what() and `what` are
// their English.
#pragma once

#include <utility>

#include "base/error.h"
#include "base/message.h"
#include "base/result.h"
#include "locale/translator.h"

namespace qanat {

class MessageError : public Error {
 public:
  explicit MessageError(Message message)
      : Error(Translator().tr(message)), message_(std::move(message)) {}

  const Message& message() const { return message_; }

 private:
  Message message_;
};

inline Failure to_failure(Message message) {
  return {.what = Translator().tr(message), .message = std::move(message)};
}

// What went wrong: its message, or the English text of what has none.
inline MessageArg reason_of(const Failure& failure) {
  return failure.message ? MessageArg(failure.message) : MessageArg(failure.what);
}
inline MessageArg reason_of(const std::exception& error) {
  const auto* const said = dynamic_cast<const MessageError*>(&error);
  return said != nullptr ? MessageArg(said->message()) : MessageArg(error.what());
}

}  // namespace qanat
