// How long a request may take, and whom it trusts.
#pragma once

#include <string>

#include "base/time.h"

namespace qanat {

struct RequestLimits {
  Seconds connect{10};
  Seconds stall{15};     // without a kilobyte per second
  Seconds grace{3};      // for a request that is under way when the run is stopped
  std::string bundle{};  // file of certificates; empty: those of the system
};

}  // namespace qanat
