// Decodes what stands in an unpacked page of a Parquet file, from arbitrary bytes: levels, indices
// of a dictionary, lengths, values. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace qanat {

using PageBytes = std::span<const std::byte>;

// `count` numbers of `bits` each in runs and groups of eight. Nothing: damaged.
std::optional<std::vector<std::uint32_t>> read_hybrid(PageBytes bytes, int bits, std::size_t count);

// Numbers as differences in blocks, at most `most`; how many bytes they take. Nothing: damaged.
struct DeltaNumbers {
  std::vector<std::int64_t> values;
  std::size_t used = 0;
};
std::optional<DeltaNumbers> read_delta(PageBytes bytes, std::size_t most);

// Little-endian; `bytes` has that many.
std::uint32_t little_32(PageBytes bytes);
std::uint64_t little_64(PageBytes bytes);

// Where a value lies in a page.
struct CellRange {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

// `count` values, each behind its length. Nothing: damaged.
std::optional<std::vector<CellRange>> read_plain_ranges(PageBytes bytes, std::size_t count);
// The same where all lengths stand first.
std::optional<std::vector<CellRange>> read_delta_length_ranges(PageBytes bytes, std::size_t count);

}  // namespace qanat
