// A device stopped answering in the middle of a run: nothing on it can be saved, and nothing that
// the program could do would bring it back. Ends the program with the exit code of a hardware
// fault.
#pragma once

#include <string>

#include "base/device_id.h"
#include "base/error.h"

namespace qanat {

class DeviceLost : public Error {
 public:
  DeviceLost(DeviceId device, const std::string& why)
      : Error(
            "{}: the GPU was lost: {}; checkpoints that were written are whole; look for Xid in "
            "`dmesg`, reset the GPU or the machine, and go on with --resume",
            to_string(device),
            why),
        device_(device) {}

  DeviceId device() const { return device_; }

 private:
  DeviceId device_;
};

}  // namespace qanat
