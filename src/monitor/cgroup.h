// The limits a container puts on this process, from control groups v1, v2 or both.
#pragma once

#include <filesystem>
#include <optional>

#include "base/quantity.h"

namespace qanat {

struct CgroupLimits {
  std::optional<double> cpu_quota;  // cores' worth of time
  std::optional<Bytes> memory_limit;
  std::optional<Bytes> memory_headroom;
};

// The tightest limit of the process's group and all groups above it that can be seen.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

}  // namespace qanat
