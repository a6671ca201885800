// A device stopped answering in the middle of a run: nothing on it can be saved, and nothing that
// the program could do would bring it back. Ends the program with the exit code of a hardware
// fault.
#pragma once

#include <string>

#include "base/device_id.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"

namespace qanat {

class DeviceLost : public Error {
 public:
  DeviceLost(DeviceId device, const std::string& why)
      : Error(to_failure(msg::device_lost{.device = to_string(device), .reason = why})),
        device_(device) {}

  DeviceId device() const { return device_; }

 private:
  DeviceId device_;
};

}  // namespace qanat
