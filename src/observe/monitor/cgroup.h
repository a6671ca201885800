// The limits a container puts on this process, from control groups v1, v2 or both.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/quantity.h"
#include "monitor/reading.h"

namespace qanat {

struct CgroupLimits {
  std::optional<double> cpu_quota;  // cores' worth of time
  std::optional<Bytes> memory_limit;
  std::optional<Bytes> memory_headroom;
};

// The tightest limit of the process's group and all groups above it that can be seen.
CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

// How often the quota of a group was used up, since the group was made.
struct CpuThrottling {
  double periods = 0;
  double throttled = 0;  // of these periods
  double seconds = 0;    // that the group was held back, summed over its cores

  bool operator==(const CpuThrottling&) const = default;
};

// Reads the process's group, or the group above it that was held back longest.
Reading<CpuThrottling> read_cpu_throttling(const std::filesystem::path& root);

// The folder of the process's group of version 2, from the mount point down; the own one last.
std::vector<std::filesystem::path> unified_folders(const std::filesystem::path& root);

}  // namespace qanat
