// Tensors in a file that opens everywhere: the safetensors format (no pickle, nothing executed).
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include <torch/torch.h>

#include "base/result.h"

namespace qanat {

// By name, sorted.
using TensorMap = std::map<std::string, torch::Tensor>;

// Written whole or not at all, and synced. Tensors may be on any device and of any layout; equal
// tensors give equal bytes. Throws Error when the disk refuses, or naming a tensor whose type the
// format does not have.
void write_safetensors(const std::filesystem::path& path,
                       const TensorMap& tensors,
                       const std::map<std::string, std::string>& metadata);

// The tensors are on the CPU and own their memory. The Failure does not name a file.
Result<TensorMap> parse_safetensors(std::span<const std::byte> file);

}  // namespace qanat
