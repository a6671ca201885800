#include "train/precision.h"

#include <torch/torch.h>

#include "model/autocast_state.h"

namespace qanat {

Autocast::Autocast(Precision precision, torch::Device device)
    : on_(precision != Precision::single), type_(device.type()) {
  if (!on_) {
    return;
  }
  autocast_state::set_precision(type_,
                                precision == Precision::bf16 ? torch::kBFloat16 : torch::kHalf);
  autocast_state::turn(type_, true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!on_) {
    return;
  }
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();  // of weights that change with the next update
  }
  autocast_state::turn(type_, false);
}

}  // namespace qanat
