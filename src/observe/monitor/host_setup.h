// The properties of the machine that do not change during a run: cores, limits, memory nodes,
// governor, the file system of the data. A line of kind "host" of the journal carries them, for
// reports on another machine.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "monitor/reading.h"

namespace qanat {

// Numbers are counts or bytes.
struct HostSetup {
  Reading<double> online_cores;
  Reading<double> affinity_cores;  // this process may be scheduled on
  Reading<double> cpu_quota;       // cores' worth of time, of the tightest group
  Reading<double> total_memory;
  Reading<double> memory_limit;  // of the tightest group
  Reading<double> swap;
  Reading<double> locked_memory;  // most that may be pinned
  Reading<double> shared_memory;  // size of /dev/shm
  Reading<double> numa_nodes;
  Reading<std::string> core_nodes;    // memory nodes of the cores it may use: "0", "0,1"
  Reading<std::string> governor;      // of the cores; "a,b" when they differ
  Reading<std::string> clock_driver;  // of their frequency
  Reading<std::string> data_file_system;

  bool operator==(const HostSetup&) const = default;
};

// Calls `visit(name, reading)` for every field.
template <typename Setup, typename Visitor>
void visit_setup(Setup& setup, Visitor&& visit) {
  visit("online_cores", setup.online_cores);
  visit("affinity_cores", setup.affinity_cores);
  visit("cpu_quota", setup.cpu_quota);
  visit("total_memory", setup.total_memory);
  visit("memory_limit", setup.memory_limit);
  visit("swap", setup.swap);
  visit("locked_memory", setup.locked_memory);
  visit("shared_memory", setup.shared_memory);
  visit("numa_nodes", setup.numa_nodes);
  visit("core_nodes", setup.core_nodes);
  visit("governor", setup.governor);
  visit("clock_driver", setup.clock_driver);
  visit("data_file_system", setup.data_file_system);
}

// `data` empty: no folder is asked about. Takes a few milliseconds.
HostSetup read_host_setup(const std::filesystem::path& root, const std::filesystem::path& data);

// The smallest of affinity, whole cores of the quota and online cores; at least 1.
int cores_of(const HostSetup& setup);

// Values by name, and reasons by name under "unknown".
nlohmann::json to_json(const HostSetup& setup);
Result<HostSetup> to_host_setup(const nlohmann::json& object);

}  // namespace qanat
