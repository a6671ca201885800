// XXH3, 64 bit: the checksum inside shards and the keys of precomputed features. Fast and good
// at finding damage and change; not for secrets. Pure functions, same value on every machine.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/language.h"

namespace qanat {

std::uint64_t content_checksum(std::span<const std::byte> bytes);

// One hash of several values. Order and type count: add(1).add(2) is not add(2).add(1).
class ContentHasher {
 public:
  ContentHasher& add(std::string_view text);
  ContentHasher& add(std::integral auto number) {
    return add_integer(static_cast<std::int64_t>(number));
  }
  ContentHasher& add(double number);

  std::uint64_t value() const { return value_; }

 private:
  ContentHasher& add_integer(std::int64_t number);

  std::uint64_t value_ = 0;
};

// The part of a FeatureKey that changes with the text of an utterance.
std::uint64_t text_hash(std::string_view text, Language language);

}  // namespace qanat
