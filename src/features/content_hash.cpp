#include "features/content_hash.h"

#include <bit>

#include <xxhash.h>

namespace qanat {

static_assert(std::endian::native == std::endian::little, "hashes are of little-endian bytes");

std::uint64_t content_checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

ContentHasher& ContentHasher::add(std::string_view text) {
  value_ = XXH3_64bits_withSeed(text.data(), text.size(), value_);
  return *this;
}

ContentHasher& ContentHasher::add(double number) {
  value_ = XXH3_64bits_withSeed(&number, sizeof number, value_);
  return *this;
}

ContentHasher& ContentHasher::add_integer(std::int64_t number) {
  value_ = XXH3_64bits_withSeed(&number, sizeof number, value_);
  return *this;
}

std::uint64_t text_hash(std::string_view text, Language language) {
  return ContentHasher().add(to_string(language)).add(text).value();
}

}  // namespace qanat
