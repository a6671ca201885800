// For tests: random damage to bytes, as disks, copies and interrupted writes do it.
//
// QANAT_FAULTS says how many cases, QANAT_FAULT_SEED which ones; without them there are a few.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <random>
#include <string>

namespace qanat {

inline int number_from(const char* variable, int usual) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? usual : std::atoi(text);
}

inline int num_faults(int usual) {
  return number_from("QANAT_FAULTS", usual);
}

inline std::mt19937 fault_source() {
  return std::mt19937(static_cast<unsigned>(number_from("QANAT_FAULT_SEED", 1)));
}

// Not empty. A bit is flipped, a part is lost, zeroed or doubled, or the end is cut.
inline std::string damaged(std::string bytes, std::mt19937& source) {
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(source);
  };
  const std::size_t begin = below(bytes.size());
  const std::size_t count = 1 + below(std::min<std::size_t>(bytes.size() - begin, 64));
  switch (below(6)) {
    case 0:
      bytes.resize(begin);
      break;
    case 1:
      bytes.erase(begin, count);
      break;
    case 2:
      bytes.replace(begin, count, count, '\0');
      break;
    case 3:
      bytes.insert(begin, bytes.substr(begin, count));
      break;
    default:
      bytes[begin] = static_cast<char>(bytes[begin] ^ (1 << below(8)));
  }
  return bytes;
}

}  // namespace qanat
