// libtorch's switches for autocast, per kind of device and for the calling thread. libtorch 1 has
// functions of their own for CPU and GPU, libtorch 2 deprecates them for one with an argument;
// whichever there is, is called.
#pragma once

#include <ATen/autocast_mode.h>
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

namespace qanat::autocast_state {

using namespace at::autocast;  // so that a name this libtorch does not have is no error below

template <typename Type>
concept OneForAll = requires(Type type) {
  set_autocast_enabled(type, true);
};

template <typename Type, typename Flag>
void turn(Type type, Flag on) {
  if constexpr (OneForAll<Type>) {
    set_autocast_enabled(type, on);
  } else if (type == Type::CPU) {
    set_cpu_enabled(on);
  } else {
    set_enabled(on);
  }
}

template <typename Type, typename Precision>
void set_precision(Type type, Precision precision) {
  if constexpr (OneForAll<Type>) {
    set_autocast_dtype(type, precision);
  } else if (type == Type::CPU) {
    set_autocast_cpu_dtype(precision);
  } else {
    set_autocast_gpu_dtype(precision);
  }
}

}  // namespace qanat::autocast_state
