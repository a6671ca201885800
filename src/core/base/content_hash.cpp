#include "base/content_hash.h"

#include <bit>

#define XXH_STATIC_LINKING_ONLY  // XXH3_state_t on the stack
#if defined(__x86_64__)
#include <xxh_x86dispatch.h>  // as wide as the processor allows; the values are the same
#else
#include <xxhash.h>
#endif

namespace qanat {

static_assert(std::endian::native == std::endian::little, "hashes are of little-endian bytes");

std::uint64_t content_hash(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t content_hash_of_both(std::span<const std::byte> first,
                                   std::span<const std::byte> second) {
  if (first.empty()) {
    return content_hash(second);
  }
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, first.data(), first.size());
  XXH3_64bits_update(&state, second.data(), second.size());
  return XXH3_64bits_digest(&state);
}

ContentHasher& ContentHasher::add(std::string_view text) {
  value_ = content_hash(text, value_);
  return *this;
}

ContentHasher& ContentHasher::add(double number) {
  value_ = content_hash(std::as_bytes(std::span(&number, 1)), value_);
  return *this;
}

ContentHasher& ContentHasher::add_integer(std::int64_t number) {
  value_ = content_hash(std::as_bytes(std::span(&number, 1)), value_);
  return *this;
}

}  // namespace qanat
