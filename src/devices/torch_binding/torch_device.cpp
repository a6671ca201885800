#include "torch_binding/torch_device.h"

#include "device/cuda/cuda_device.h"

namespace qanat {

c10::Device torch_device(const Device& device) {
  const auto* const cuda = dynamic_cast<const CudaDevice*>(&device);
  return c10::Device(cuda == nullptr ? "cpu" : cuda->facts().computes_on);
}

}  // namespace qanat
