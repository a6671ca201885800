// What this process may use of the machine: cores and memory, with the limits of its container.
// Every reading is optional: what cannot be read is unknown, never zero.
#pragma once

#include <filesystem>
#include <optional>

#include "base/quantity.h"

namespace qanat {

struct HostFacts {
  std::optional<int> online_cores;
  std::optional<int> affinity_cores;      // this process may be scheduled on
  std::optional<double> cpu_quota;        // cores' worth of time; absent when unlimited
  std::optional<Bytes> total_memory;      // of the machine
  std::optional<Bytes> available_memory;  // of the machine, without swapping
  std::optional<Bytes> memory_limit;      // of the container; absent when unlimited
  std::optional<Bytes> memory_headroom;   // left below that limit, page cache counted as free

  bool operator==(const HostFacts&) const = default;
};

// Reads below `root`, which tests point at a tree of their own. Takes about a millisecond.
HostFacts read_host_facts(const std::filesystem::path& root = "/");

// The part of each of so many processes that share memory and quota of the machine. Cores they
// divide by affinity, where whoever started them has not.
HostFacts share_of(HostFacts facts, int processes);
// This process's share, by how many the launcher started on this machine (launch/replica_place.h).
HostFacts read_host_share();

// Threads that can run at once: the smallest of affinity, whole cores of the quota and online
// cores; at least 1, and 1 when nothing is known.
int allowed_cores(const HostFacts& facts);

// The most this process may ever hold, and what it can still get now.
std::optional<Bytes> memory_ceiling(const HostFacts& facts);
std::optional<Bytes> free_memory(const HostFacts& facts);

}  // namespace qanat
