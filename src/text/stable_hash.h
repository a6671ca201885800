// A hash that is the same on every machine, in every build: for keys that are stored.
#pragma once

#include <cstdint>
#include <string_view>

namespace qanat {

// FNV-1a, 64 bits. Each added text is closed by a byte that UTF-8 never holds, so "ab", "c" and
// "a", "bc" differ.
class StableHash {
 public:
  StableHash& add(std::string_view text) {
    for (const char byte : text) {
      add_byte(static_cast<unsigned char>(byte));
    }
    add_byte(0xFF);
    return *this;
  }

  std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001B3; }

  std::uint64_t value_ = 0xCBF29CE484222325;
};

}  // namespace qanat
