// Unpacks one page of a Parquet file: the codecs that its writers use. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace qanat {

// As numbered in the format.
enum class PageCodec : std::int32_t {
  none = 0,
  snappy = 1,
  gzip = 2,
  lzo = 3,
  brotli = 4,
  lz4_hadoop = 5,
  zstd = 6,
  lz4 = 7,
};

std::string_view to_string(PageCodec codec);
bool can_unpack(PageCodec codec);

// Exactly `size` bytes, which the caller has bounded. Failure: damaged, or of another size.
Result<std::vector<std::byte>> unpack_page(PageCodec codec,
                                           std::span<const std::byte> packed,
                                           std::size_t size);

}  // namespace qanat
