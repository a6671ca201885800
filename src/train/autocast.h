// Lets libtorch compute in bf16 where that is safe, on the calling thread, while the scope lasts.
#pragma once

#include <torch/types.h>

namespace qanat {

enum class Precision { single, bf16 };

class Autocast {
 public:
  Autocast(Precision precision, torch::Device device);
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast();

 private:
  const bool on_;
  const bool on_host_;
};

}  // namespace qanat
