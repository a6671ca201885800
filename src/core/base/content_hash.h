// XXH3, 64 bit: checksums of files, keys of caches, the split of a set. Fast and good at finding
// damage and change; not for secrets. Pure functions, same value on every machine, in every build.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace qanat {

std::uint64_t content_hash(std::string_view bytes, std::uint64_t seed = 0);
std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0);
// As content_hash() of `first` and `second` concatenated.
std::uint64_t content_hash_of_both(std::span<const std::byte> first,
                                   std::span<const std::byte> second);

// One hash of several values. Order, type and boundaries count: add(1).add(2) is not add(2).add(1),
// add("ab").add("c") is not add("a").add("bc").
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

}  // namespace qanat
