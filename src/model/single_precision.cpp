#include "model/single_precision.h"

#include <ATen/autocast_mode.h>

namespace qanat {

SinglePrecision::SinglePrecision()
    : gpu_before_(at::autocast::is_enabled()), cpu_before_(at::autocast::is_cpu_enabled()) {
  at::autocast::set_enabled(false);
  at::autocast::set_cpu_enabled(false);
}

SinglePrecision::~SinglePrecision() {
  at::autocast::set_enabled(gpu_before_);
  at::autocast::set_cpu_enabled(cpu_before_);
}

}  // namespace qanat
