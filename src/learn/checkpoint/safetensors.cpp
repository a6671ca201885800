#include "checkpoint/safetensors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "checkpoint/mapped_tensors.h"
#include "checkpoint_files/safetensors_header.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"

namespace qanat {
namespace {

torch::ScalarType to_scalar_type(TensorType type) {
  switch (type) {
    case TensorType::f64:
      return torch::kFloat64;
    case TensorType::f32:
      return torch::kFloat32;
    case TensorType::f16:
      return torch::kFloat16;
    case TensorType::bf16:
      return torch::kBFloat16;
    case TensorType::i64:
      return torch::kInt64;
    case TensorType::i32:
      return torch::kInt32;
    case TensorType::u8:
      return torch::kUInt8;
    case TensorType::boolean:
      return torch::kBool;
  }
  return torch::kFloat32;
}

std::optional<TensorType> to_tensor_type(torch::ScalarType type) {
  for (const TensorTypeFacts& one : kTensorTypes) {
    if (to_scalar_type(one.type) == type) {
      return one.type;
    }
  }
  return std::nullopt;
}

StoredTensor describe(const std::string& name, const torch::Tensor& tensor) {
  if (!tensor.defined()) {
    throw Error("tensor {}: has no value; expected one to store", name);
  }
  if (name == kMetadataName) {
    throw Error("tensor {}: safetensors keeps this name for itself; expected another", name);
  }
  const std::optional<TensorType> type = to_tensor_type(tensor.scalar_type());
  if (!type) {
    throw Error("tensor {}: type {}; expected one that safetensors has",
                name,
                torch::toString(tensor.scalar_type()));
  }
  return {.name = name, .type = *type, .shape = tensor.sizes().vec()};
}

// Bytes that are neither 0 nor 1 are not values of a bool.
bool holds_booleans(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte value) { return value <= std::byte{1}; });
}

}  // namespace

void write_safetensors(const std::filesystem::path& path,
                       const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<StoredTensor> stored;
  for (const auto& [name, tensor] : tensors) {
    stored.push_back(describe(name, tensor));
  }
  place_tensors(stored);
  AtomicFile file(path);
  file.write(make_safetensors_header(stored, metadata));
  for (const StoredTensor& one : stored) {
    const torch::Tensor values = tensors.at(one.name).detach().to(torch::kCPU).contiguous();
    file.write(std::span(static_cast<const std::byte*>(values.data_ptr()), values.nbytes()));
  }
  file.commit();
}

namespace {

bool is_aligned(std::span<const std::byte> bytes, torch::ScalarType type) {
  return reinterpret_cast<std::uintptr_t>(bytes.data()) % torch::elementSize(type) == 0;
}

// With an owner the tensors are views of its bytes, where these lie as the type demands; without
// one they are copies.
Result<TensorMap> parse(std::span<const std::byte> file,
                        const std::shared_ptr<const MappedFile>& owner) {
  const Result<SafetensorsHeader> header = read_safetensors_header(file);
  if (!header) {
    return header.failure();
  }
  TensorMap tensors;
  for (const StoredTensor& one : header.value().tensors) {
    const std::span<const std::byte> bytes =
        file.subspan(header.value().values_begin + one.begin, one.end - one.begin);
    if (one.type == TensorType::boolean && !holds_booleans(bytes)) {
      return to_failure(msg::safetensors_no_boolean{.tensor = one.name});
    }
    const torch::ScalarType type = to_scalar_type(one.type);
    if (owner != nullptr && !bytes.empty() && is_aligned(bytes, type)) {
      auto* values = const_cast<std::byte*>(bytes.data());  // from_blob() takes no const
      tensors.emplace(one.name,
                      torch::from_blob(
                          values, one.shape, [owner](void* /*values*/) {}, type));
      continue;
    }
    torch::Tensor tensor = torch::empty(one.shape, type);
    if (!bytes.empty()) {
      std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
    }
    tensors.emplace(one.name, std::move(tensor));
  }
  return tensors;
}

}  // namespace

Result<TensorMap> parse_safetensors(std::span<const std::byte> file) {
  return parse(file, nullptr);
}

Result<TensorMap> map_safetensors(MappedFile file) {
  const auto owner = std::make_shared<const MappedFile>(std::move(file));
  return parse(owner->bytes(), owner);
}

}  // namespace qanat
