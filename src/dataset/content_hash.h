// 64-bit hashes of bytes that mean the same on every machine and in every version: they name cache
// entries and decide the split. Not for hostile input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace qanat {

std::uint64_t content_hash(std::string_view bytes, std::uint64_t seed = 0);
std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace qanat
