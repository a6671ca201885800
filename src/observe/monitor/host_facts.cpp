#include "monitor/host_facts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "launch/replica_place.h"
#include "monitor/cgroup.h"
#include "monitor/kernel_files.h"

namespace qanat {
namespace {

// "MemTotal:       16306564 kB"
std::optional<Bytes> meminfo_value(const std::string& meminfo, std::string_view key) {
  const std::optional<std::string_view> text = value_after(meminfo, key);
  if (!text || !text->ends_with(" kB")) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> kib = to_integer(text->substr(0, text->size() - 3));
  constexpr std::int64_t kMax = std::int64_t{1} << 50;
  if (!kib || *kib < 0 || *kib > kMax) {
    return std::nullopt;
  }
  return Bytes{*kib * 1024};
}

std::optional<int> read_core_list(const std::optional<std::string>& text) {
  return text ? count_list(*text) : std::nullopt;
}

std::optional<int> affinity_of(const std::string& status) {
  const std::optional<std::string_view> list = value_after(status, "Cpus_allowed_list:");
  return list ? count_list(*list) : std::nullopt;
}

std::optional<Bytes> smaller(const std::optional<Bytes>& a, const std::optional<Bytes>& b) {
  if (!a || !b) {
    return a ? a : b;
  }
  return std::min(*a, *b);
}

}  // namespace

HostFacts read_host_facts(const std::filesystem::path& root) {
  const CgroupLimits limits = read_cgroup_limits(root);
  const std::string meminfo = read_kernel_file(root / "proc/meminfo").value_or("");
  return {
      .online_cores = read_core_list(read_kernel_file(root / "sys/devices/system/cpu/online")),
      .affinity_cores = affinity_of(read_kernel_file(root / "proc/self/status").value_or("")),
      .cpu_quota = limits.cpu_quota,
      .total_memory = meminfo_value(meminfo, "MemTotal:"),
      .available_memory = meminfo_value(meminfo, "MemAvailable:"),
      .memory_limit = limits.memory_limit,
      .memory_headroom = limits.memory_headroom,
  };
}

HostFacts share_of(HostFacts facts, int processes) {
  const auto divide = [processes](std::optional<Bytes>& bytes) {
    if (bytes) {
      bytes->value /= processes;
    }
  };
  divide(facts.total_memory);
  divide(facts.available_memory);
  divide(facts.memory_limit);
  divide(facts.memory_headroom);
  if (facts.cpu_quota) {
    *facts.cpu_quota /= processes;
  }
  return facts;
}

HostFacts read_host_share() {
  return share_of(read_host_facts(), read_replica_place().local_world);
}

int allowed_cores(const HostFacts& facts) {
  constexpr int kNone = 1 << 20;
  int cores = std::min(facts.online_cores.value_or(kNone), facts.affinity_cores.value_or(kNone));
  if (facts.cpu_quota && *facts.cpu_quota < kNone) {
    cores = std::min(cores, static_cast<int>(std::floor(*facts.cpu_quota)));
  }
  return cores == kNone ? 1 : std::max(cores, 1);
}

std::optional<Bytes> memory_ceiling(const HostFacts& facts) {
  return smaller(facts.total_memory, facts.memory_limit);
}

std::optional<Bytes> free_memory(const HostFacts& facts) {
  return smaller(facts.available_memory, facts.memory_headroom);
}

}  // namespace qanat
