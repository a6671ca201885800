// How precisely a step computes.
#pragma once

#include <torch/types.h>

namespace qanat {

// fp16 is for GPUs without bf16, and needs a LossScale.
enum class Precision { single, bf16, fp16 };

// Lets libtorch compute in bf16 or fp16 where that is safe, on the calling thread, while the scope
// lasts.
class Autocast {
 public:
  Autocast(Precision precision, torch::Device device);
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast();

 private:
  const bool on_;
  const torch::DeviceType type_;
};

}  // namespace qanat
