#include "archive/parquet_values.h"

#include <algorithm>

namespace qanat {
namespace {

// Variable-length numbers, from the front.
class NumberReader {
 public:
  explicit NumberReader(PageBytes bytes) : bytes_(bytes) {}

  std::optional<std::uint64_t> next() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(bytes_[at_++]);
      value |= (byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) {
        return value;
      }
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> next_signed() {
    const std::optional<std::uint64_t> zigzag = next();
    return zigzag ? std::optional(static_cast<std::int64_t>(*zigzag >> 1U) ^
                                  -static_cast<std::int64_t>(*zigzag & 1U))
                  : std::nullopt;
  }

  std::optional<PageBytes> take(std::uint64_t size) {
    if (size > bytes_.size() - at_) {
      return std::nullopt;
    }
    const PageBytes taken = bytes_.subspan(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return taken;
  }

  std::size_t used() const { return at_; }

 private:
  PageBytes bytes_;
  std::size_t at_ = 0;
};

// Number `index` of those packed with `bits` each, lowest bits first.
std::uint64_t packed_number(PageBytes bytes, unsigned bits, std::size_t index) {
  std::uint64_t value = 0;
  const std::size_t first = index * bits;
  for (unsigned bit = 0; bit < bits; ++bit) {
    const std::size_t at = first + bit;
    const auto byte = std::to_integer<unsigned>(bytes[at / 8]);
    value |= std::uint64_t{byte >> (at % 8) & 1U} << bit;
  }
  return value;
}

}  // namespace

std::uint32_t little_32(PageBytes bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) {
    value |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  }
  return value;
}

std::uint64_t little_64(PageBytes bytes) {
  return little_32(bytes) | std::uint64_t{little_32(bytes.subspan(4))} << 32U;
}

std::optional<std::vector<std::uint32_t>> read_hybrid(PageBytes bytes,
                                                      int bits,
                                                      std::size_t count) {
  if (bits < 0 || bits > 32) {
    return std::nullopt;
  }
  std::vector<std::uint32_t> values;
  NumberReader reader(bytes);
  const auto width = static_cast<unsigned>(bits);
  while (values.size() < count) {
    const std::optional<std::uint64_t> head = reader.next();
    if (!head) {
      return std::nullopt;
    }
    const std::uint64_t amount = *head >> 1U;
    const std::size_t left = count - values.size();
    if ((*head & 1U) == 0) {
      const std::optional<PageBytes> repeated = reader.take((width + 7) / 8);
      if (!repeated || amount == 0) {
        return std::nullopt;
      }
      std::uint32_t value = 0;
      for (std::size_t i = 0; i < repeated->size(); ++i) {
        value |= std::to_integer<std::uint32_t>((*repeated)[i]) << (8 * i);
      }
      values.insert(values.end(), std::min<std::uint64_t>(amount, left), value);
      continue;
    }
    if (amount == 0 || amount > bytes.size()) {
      return std::nullopt;
    }
    const std::optional<PageBytes> packed = reader.take(amount * width);
    if (!packed) {
      return std::nullopt;
    }
    const std::size_t here = std::min<std::size_t>(left, amount * 8);
    for (std::size_t i = 0; i < here; ++i) {
      values.push_back(static_cast<std::uint32_t>(packed_number(*packed, width, i)));
    }
  }
  return values;
}

std::optional<DeltaNumbers> read_delta(PageBytes bytes, std::size_t most) {
  NumberReader reader(bytes);
  const auto block = reader.next();
  const auto parts = reader.next();
  const auto count = reader.next();
  const auto first = reader.next_signed();
  if (!block || !parts || !count || !first || *parts == 0 || *block == 0 || *block > 1U << 20U ||
      *parts > *block || *block % *parts != 0 || *count > most) {
    return std::nullopt;
  }
  const std::size_t per_part = *block / *parts;
  DeltaNumbers numbers;
  if (*count > 0) {
    numbers.values.push_back(*first);
  }
  auto value = static_cast<std::uint64_t>(*first);
  while (numbers.values.size() < *count) {
    const auto least = reader.next_signed();
    const auto widths = least ? reader.take(*parts) : std::nullopt;
    if (!widths || per_part % 8 != 0) {
      return std::nullopt;
    }
    for (std::size_t part = 0; part < *parts && numbers.values.size() < *count; ++part) {
      const auto width = std::to_integer<unsigned>((*widths)[part]);
      const auto packed = width > 64 ? std::nullopt : reader.take(per_part / 8 * width);
      if (!packed) {
        return std::nullopt;
      }
      for (std::size_t i = 0; i < per_part && numbers.values.size() < *count; ++i) {
        value += static_cast<std::uint64_t>(*least) + packed_number(*packed, width, i);
        numbers.values.push_back(static_cast<std::int64_t>(value));
      }
    }
  }
  numbers.used = reader.used();
  return numbers;
}

std::optional<std::vector<CellRange>> read_plain_ranges(PageBytes bytes, std::size_t count) {
  if (count > bytes.size() / 4) {
    return std::nullopt;
  }
  std::vector<CellRange> ranges;
  ranges.reserve(count);
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (bytes.size() - at < 4) {
      return std::nullopt;
    }
    const std::uint32_t size = little_32(bytes.subspan(at));
    at += 4;
    if (size > bytes.size() - at) {
      return std::nullopt;
    }
    ranges.push_back({.offset = static_cast<std::uint32_t>(at), .size = size});
    at += size;
  }
  return ranges;
}

std::optional<std::vector<CellRange>> read_delta_length_ranges(PageBytes bytes, std::size_t count) {
  const std::optional<DeltaNumbers> sizes = read_delta(bytes, count);
  if (!sizes || sizes->values.size() != count) {
    return std::nullopt;
  }
  std::vector<CellRange> ranges;
  std::size_t at = sizes->used;
  for (const std::int64_t size : sizes->values) {
    if (size < 0 || static_cast<std::uint64_t>(size) > bytes.size() - at) {
      return std::nullopt;
    }
    ranges.push_back(
        {.offset = static_cast<std::uint32_t>(at), .size = static_cast<std::uint32_t>(size)});
    at += static_cast<std::size_t>(size);
  }
  return ranges;
}

}  // namespace qanat
