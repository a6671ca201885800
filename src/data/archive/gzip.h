// Unpacks gzip streams in memory, up to a limit that the caller knows. Pure.
#pragma once

#include <span>
#include <string>

#include "base/quantity.h"
#include "base/result.h"

namespace qanat {

// Whether bytes begin as a gzip stream does.
bool is_gzip(std::span<const std::byte> bytes);

// One gzip stream or several, one after the other. Failure: damaged, cut off, or more than `limit`.
Result<std::string> gunzip(std::span<const std::byte> bytes, Bytes limit);

}  // namespace qanat
