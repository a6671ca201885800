// Where libtorch has to put the tensors of a device.
#pragma once

#include <c10/core/Device.h>

#include "device/device.h"

namespace qanat {

// The CPU for host devices, whose threads and memory are bound to them another way
// (torch_binding/torch_binding.h).
c10::Device torch_device(const Device& device);

}  // namespace qanat
