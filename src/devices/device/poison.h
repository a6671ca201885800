// Memory that nobody may read: not yet filled, or free again. Tests switch it on.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace qanat {

enum class Poison { off, on };

// Every byte of poisoned memory; as float32 it is a NaN, as an integer -1: no token, no length.
inline constexpr std::byte kPoison{0xFF};

inline void poison(std::span<std::byte> memory) {
  if (!memory.empty()) {
    std::memset(memory.data(), std::to_integer<int>(kPoison), memory.size());
  }
}

}  // namespace qanat
