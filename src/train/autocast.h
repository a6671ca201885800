// Lets libtorch compute in bf16 or fp16 where that is safe, on the calling thread, while the scope
// lasts.
#pragma once

#include <torch/types.h>

namespace qanat {

// fp16 is for GPUs without bf16, and needs a LossScale.
enum class Precision { single, bf16, fp16 };

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
