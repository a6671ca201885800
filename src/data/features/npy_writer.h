// Arrays for numpy.load.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace qanat {

// Writes [rows, columns] float32, row by row; values.size() == rows * columns. Atomic: the file is
// there whole or not at all. Throws Error when it cannot be written.
void write_npy(const std::filesystem::path& path,
               std::span<const float> values,
               std::int64_t rows,
               std::int64_t columns);

}  // namespace qanat
