// The Castagnoli checksum of TensorBoard's records. By table: files grow by kilobytes a second, and
// Debian has no library for it.
#pragma once

#include <cstdint>
#include <string_view>

namespace qanat {

std::uint32_t crc32c(std::string_view bytes);

// As records carry it, so that a checksum of bytes that hold checksums stays a good one.
inline std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15U | crc << 17U) + 0xa282ead8U;
}

}  // namespace qanat
