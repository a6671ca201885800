// What may help where the system refused to write.
#pragma once

#include <string>

#include "base/message.h"

namespace qanat {

// By errno; `folder` is where the file was to be.
Message system_advice(int error, const std::string& folder);

}  // namespace qanat
