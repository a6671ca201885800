// Which device: a value that prints as the user writes it ("cuda:1", "virtual:0", "cpu").
#pragma once

#include <compare>
#include <string>

namespace qanat {

enum class DeviceKind { cpu, virtual_gpu, cuda };

struct DeviceId {
  DeviceKind kind = DeviceKind::cpu;
  int index = 0;

  friend constexpr auto operator<=>(const DeviceId&, const DeviceId&) = default;
};

inline std::string to_string(DeviceId id) {
  switch (id.kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::virtual_gpu:
      return "virtual:" + std::to_string(id.index);
    case DeviceKind::cuda:
      return "cuda:" + std::to_string(id.index);
  }
  return "unknown";
}

}  // namespace qanat
