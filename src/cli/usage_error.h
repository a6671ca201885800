// The command line asks for something that cannot be: exit code 2 instead of 1.
#pragma once

#include "locale/message_error.h"

namespace qanat {

class UsageError : public MessageError {
 public:
  using MessageError::MessageError;
};

}  // namespace qanat
