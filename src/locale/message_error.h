// An error that is said in the language of whoever meets it; what() is its English.
#pragma once

#include <utility>

#include "base/error.h"
#include "base/message.h"
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

}  // namespace qanat
