#include "train/autocast.h"

#include <ATen/autocast_mode.h>

namespace qanat {

Autocast::Autocast(Precision precision, torch::Device device)
    : on_(precision == Precision::bf16), on_host_(device.is_cpu()) {
  if (!on_) {
    return;
  }
  if (on_host_) {
    at::autocast::set_autocast_cpu_dtype(torch::kBFloat16);
    at::autocast::set_cpu_enabled(true);
  } else {
    at::autocast::set_autocast_gpu_dtype(torch::kBFloat16);
    at::autocast::set_enabled(true);
  }
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!on_) {
    return;
  }
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();  // of weights that change with the next update
  }
  if (on_host_) {
    at::autocast::set_cpu_enabled(false);
  } else {
    at::autocast::set_enabled(false);
  }
}

}  // namespace qanat
