// The command line asks for something that cannot be: exit code 2 instead of 1.
#pragma once

#include "base/error.h"

namespace qanat {

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace qanat
