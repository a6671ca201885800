// Makes tar files in memory, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace qanat {

inline std::string tar_header(std::string_view name,
                              std::size_t size,
                              char type = '0',
                              std::string_view prefix = "") {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(100, 7, "0000644");
  block.replace(124, 11, fmt::format("{:011o}", size));
  block.replace(136, 11, "00000000000");
  block.replace(148, 8, "        ");
  block[156] = type;
  block.replace(257, 5, "ustar");
  block.replace(263, 2, "00");
  block.replace(345, prefix.size(), prefix);
  unsigned sum = 0;
  for (const char byte : block) {
    sum += static_cast<unsigned char>(byte);
  }
  block.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  return block;
}

inline std::string tar_content(std::string_view bytes) {
  std::string padded(bytes);
  padded.resize((bytes.size() + 511) / 512 * 512, '\0');
  return padded;
}

inline std::string tar_member(std::string_view name, std::string_view bytes, char type = '0') {
  return tar_header(name, bytes.size(), type) + tar_content(bytes);
}

inline std::string tar_end() {
  return std::string(1024, '\0');
}

}  // namespace qanat
