// Tensors that are not read before they are needed: views of a file in memory.
#pragma once

#include "base/files.h"
#include "base/result.h"
#include "checkpoint/safetensors.h"

namespace qanat {

// As parse_safetensors(), but the tensors share the memory of `file`, which stays as long as one of
// them does. They are read-only: to write to one ends the program.
Result<TensorMap> map_safetensors(MappedFile file);

}  // namespace qanat
