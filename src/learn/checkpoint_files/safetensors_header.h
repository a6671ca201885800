// The header of a safetensors file: which tensors, of which type and shape, lie where.
//
// A file is the length of the header (8 bytes, little endian), the header (JSON), the values. Pure
// functions on bytes, no libtorch; safetensors.h reads and writes whole files with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace qanat {

enum class TensorType { f64, f32, f16, bf16, i64, i32, u8, boolean };

struct TensorTypeFacts {
  TensorType type;
  std::string_view name;       // in the header
  std::uint64_t element_size;  // bytes
};
inline constexpr TensorTypeFacts kTensorTypes[] = {{TensorType::f64, "F64", 8},
                                                   {TensorType::f32, "F32", 4},
                                                   {TensorType::f16, "F16", 2},
                                                   {TensorType::bf16, "BF16", 2},
                                                   {TensorType::i64, "I64", 8},
                                                   {TensorType::i32, "I32", 4},
                                                   {TensorType::u8, "U8", 1},
                                                   {TensorType::boolean, "BOOL", 1}};

constexpr const TensorTypeFacts& facts(TensorType type) {
  return kTensorTypes[static_cast<std::size_t>(type)];
}

// The key of the header that is no tensor.
inline constexpr std::string_view kMetadataName = "__metadata__";

struct StoredTensor {
  std::string name;
  TensorType type = TensorType::f32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;  // bytes from the first value of the file
  std::uint64_t end = 0;

  bool operator==(const StoredTensor&) const = default;
};

struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the order of their values, which leave no gap
  std::map<std::string, std::string> metadata;
  std::uint64_t values_begin = 0;  // of the file

  bool operator==(const SafetensorsHeader&) const = default;
};

// No byte of `file` is trusted. Ok means: every tensor lies inside the file, its length is that of
// its type and shape, names are unique, and the values are covered without hole or overlap.
Result<SafetensorsHeader> read_safetensors_header(std::span<const std::byte> file);

// What stands before the values, its own length included; a multiple of 64 bytes.
std::string make_safetensors_header(std::span<const StoredTensor> tensors,
                                    const std::map<std::string, std::string>& metadata);

// Gives every tensor its place: large elements first, so that all are aligned, then by name. The
// same tensors in any order lie the same.
void place_tensors(std::vector<StoredTensor>& tensors);

}  // namespace qanat
