// A device's budget is used up: the same type on every kind of device, so that a trainer can split
// the batch and continue.
#pragma once

#include <optional>
#include <string>

#include "base/device_id.h"
#include "base/quantity.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"

namespace qanat {

class OutOfMemory : public Error {
 public:
  // `asked` is absent where the requested size is not known.
  OutOfMemory(DeviceId device, std::optional<Bytes> asked, Bytes used, Bytes limit)
      : Error(to_failure(
            asked ? Message(msg::device_out_of_memory{.device = to_string(device),
                                                      .asked = std::to_string(asked->value),
                                                      .used = std::to_string(used.value),
                                                      .limit = std::to_string(limit.value)})
                  : Message(msg::device_memory_used_up{.device = to_string(device),
                                                       .used = std::to_string(used.value),
                                                       .limit = std::to_string(limit.value)}))),
        device_(device),
        asked_(asked),
        used_(used),
        limit_(limit) {}

  DeviceId device() const { return device_; }
  std::optional<Bytes> asked() const { return asked_; }
  Bytes used() const { return used_; }
  Bytes limit() const { return limit_; }

 private:
  DeviceId device_;
  std::optional<Bytes> asked_;
  Bytes used_;
  Bytes limit_;
};

}  // namespace qanat
