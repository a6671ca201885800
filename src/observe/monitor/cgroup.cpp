#include "monitor/cgroup.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "monitor/kernel_files.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

enum class Version { v1, v2 };

// One line of /proc/self/cgroup.
struct Membership {
  Version version = Version::v2;
  std::vector<std::string> controllers;  // v1 only
  std::string path;
};

// One mounted hierarchy of /proc/self/mountinfo.
struct Mount {
  Version version = Version::v2;
  std::vector<std::string> options;  // of v1: names its controllers
  std::string root;                  // the group that is visible at `point`
  fs::path point;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

bool names(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

std::vector<Membership> read_memberships(const fs::path& root) {
  std::vector<Membership> memberships;
  const std::string text = read_kernel_file(root / "proc/self/cgroup").value_or("");
  for (const std::string& line : split(text, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    memberships.push_back({.version = controllers.empty() ? Version::v2 : Version::v1,
                           .controllers = split(controllers, ','),
                           .path = line.substr(second + 1)});
  }
  return memberships;
}

// "36 35 98:0 /root /point rw,noatime shared:1 - cgroup2 source options"
std::vector<Mount> read_mounts(const fs::path& root) {
  std::vector<Mount> mounts;
  const std::string text = read_kernel_file(root / "proc/self/mountinfo").value_or("");
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 5 || fields.end() - dash < 4) {
      continue;
    }
    const std::string& type = dash[1];
    if (type != "cgroup" && type != "cgroup2") {
      continue;
    }
    mounts.push_back({.version = type == "cgroup" ? Version::v1 : Version::v2,
                      .options = split(dash[3], ','),
                      .root = fields[3],
                      .point = root / fs::path(fields[4]).relative_path()});
  }
  return mounts;
}

// The folder of the group and of every group above it, down to the mount point. A path that is
// not below the mounted root (a container without a namespace of its own) leaves the mount point.
std::vector<fs::path> visible_folders(const Membership& membership, const Mount& mount) {
  std::string path = membership.path + "/";
  if (mount.root != "/" && path.starts_with(mount.root + "/")) {
    path.erase(0, mount.root.size());
  }
  std::vector<fs::path> folders = {mount.point};
  for (const fs::path& part : fs::path(path).relative_path()) {
    if (part == "..") {
      return {mount.point};
    }
    if (!part.empty()) {
      folders.push_back(folders.back() / part);
    }
  }
  return folders;
}

std::vector<fs::path> folders_of(const fs::path& root,
                                 Version version,
                                 const std::string& controller) {
  std::vector<fs::path> folders;
  const std::vector<Mount> mounts = read_mounts(root);
  for (const Membership& membership : read_memberships(root)) {
    if (membership.version != version ||
        (version == Version::v1 && !names(membership.controllers, controller))) {
      continue;
    }
    for (const Mount& mount : mounts) {
      if (mount.version == version &&
          (version == Version::v2 || names(mount.options, controller))) {
        const std::vector<fs::path> more = visible_folders(membership, mount);
        folders.insert(folders.end(), more.begin(), more.end());
      }
    }
  }
  return folders;
}

template <typename T>
void keep_smaller(std::optional<T>& kept, const std::optional<T>& other) {
  if (other && (!kept || *other < *kept)) {
    kept = other;
  }
}

std::optional<double> ratio(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

// "150000 100000" or "max 100000".
std::optional<double> quota_v2(const fs::path& folder) {
  const std::string text = read_kernel_file(folder / "cpu.max").value_or("");
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) {
    return std::nullopt;
  }
  return ratio(to_integer(text.substr(0, space)), to_integer(text.substr(space)));
}

std::optional<double> quota_v1(const fs::path& folder) {
  return ratio(read_integer(folder / "cpu.cfs_quota_us"),
               read_integer(folder / "cpu.cfs_period_us"));
}

struct MemoryFiles {
  const char* limit;
  const char* usage;
  const char* reclaimable;  // key in memory.stat
};
constexpr MemoryFiles kMemoryV1{
    "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
constexpr MemoryFiles kMemoryV2{"memory.max", "memory.current", "inactive_file "};

void read_memory(const fs::path& folder, const MemoryFiles& files, CgroupLimits& limits) {
  constexpr std::int64_t kUnlimited = std::int64_t{1} << 60;  // v1 writes a huge number
  const std::optional<std::int64_t> limit = read_integer(folder / files.limit);
  if (!limit || *limit < 0 || *limit >= kUnlimited) {
    return;
  }
  keep_smaller(limits.memory_limit, std::optional(Bytes{*limit}));
  const std::optional<std::int64_t> usage = read_integer(folder / files.usage);
  if (!usage || *usage < 0) {
    return;
  }
  const std::string statistics = read_kernel_file(folder / "memory.stat").value_or("");
  const std::int64_t reclaimable =
      to_integer(value_after(statistics, files.reclaimable).value_or("0")).value_or(0);
  const std::int64_t held = *usage - std::clamp<std::int64_t>(reclaimable, 0, *usage);
  const std::int64_t headroom = std::max<std::int64_t>(*limit - held, 0);
  keep_smaller(limits.memory_headroom, std::optional(Bytes{headroom}));
}

// Version 2 writes microseconds, version 1 nanoseconds.
std::optional<CpuThrottling> throttling_in(const fs::path& folder) {
  const std::optional<std::string> text = read_kernel_file(folder / "cpu.stat");
  if (!text) {
    return std::nullopt;
  }
  const auto number = [&text](std::string_view key) {
    const std::optional<std::string_view> value = value_after(*text, key);
    return value ? to_integer(*value) : std::nullopt;
  };
  const auto periods = number("nr_periods ");
  const auto throttled = number("nr_throttled ");
  const auto micro = number("throttled_usec ");
  const auto nano = number("throttled_time ");
  if (!periods || !throttled || (!micro && !nano)) {
    return std::nullopt;
  }
  return CpuThrottling{
      .periods = static_cast<double>(*periods),
      .throttled = static_cast<double>(*throttled),
      .seconds = micro ? static_cast<double>(*micro) / 1e6 : static_cast<double>(*nano) / 1e9};
}

}  // namespace

CgroupLimits read_cgroup_limits(const fs::path& root) {
  CgroupLimits limits;
  for (const fs::path& folder : folders_of(root, Version::v2, "cpu")) {
    keep_smaller(limits.cpu_quota, quota_v2(folder));
    read_memory(folder, kMemoryV2, limits);
  }
  for (const fs::path& folder : folders_of(root, Version::v1, "cpu")) {
    keep_smaller(limits.cpu_quota, quota_v1(folder));
  }
  for (const fs::path& folder : folders_of(root, Version::v1, "memory")) {
    read_memory(folder, kMemoryV1, limits);
  }
  return limits;
}

Reading<CpuThrottling> read_cpu_throttling(const fs::path& root) {
  Reading<CpuThrottling> longest =
      Reading<CpuThrottling>::none("no control group of this process counts throttling");
  for (const Version version : {Version::v2, Version::v1}) {
    for (const fs::path& folder : folders_of(root, version, "cpu")) {
      const std::optional<CpuThrottling> found = throttling_in(folder);
      if (found && (!longest || found->seconds > (*longest).seconds)) {
        longest = *found;
      }
    }
  }
  return longest;
}

std::vector<fs::path> unified_folders(const fs::path& root) {
  return folders_of(root, Version::v2, "");
}

}  // namespace qanat
