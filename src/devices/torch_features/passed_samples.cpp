#include "torch_features/passed_samples.h"

#include <torch/torch.h>

#include "torch_binding/torch_device.h"

namespace qanat {

void PassedSamples::extract(const ConstBlockView& pcm, const BlockView& samples) {
  const torch::InferenceMode no_gradients;
  const auto bytes = torch::dtype(torch::kUInt8).device(torch_device(device_));
  const auto count = static_cast<std::int64_t>(pcm.layout.bytes);
  // from_blob() takes no const; nothing writes through the view.
  auto* from = const_cast<std::byte*>(pcm.bytes.data());
  torch::from_blob(samples.bytes.data(), {count}, bytes)
      .copy_(torch::from_blob(from, {count}, bytes));
}

}  // namespace qanat
