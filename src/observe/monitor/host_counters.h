// What the machine has done for this process, and what held it back: clocks and counters that only
// grow. The difference of two gives shares of the time between.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "monitor/reading.h"

namespace qanat {

// How long the threads of this process ran, and how long they were ready but had no core.
//
// Threads are summed by name without its number: "load-0" and "load-1" are "load", "train/0" is
// "train". A thread that libtorch starts carries the name of the thread that asked for it.
struct ThreadClock {
  std::string name;
  int threads = 0;
  double running = 0;  // s on a core
  double waiting = 0;  // s ready, in the run queue

  bool operator==(const ThreadClock&) const = default;
};

// The threads of this process, sorted by name. Takes about 20 us per thread.
Reading<std::vector<ThreadClock>> read_thread_clocks(const std::filesystem::path& root);

// Seconds, counts and bytes.
struct HostCounters {
  Reading<double> periods;  // of the quota
  Reading<double> throttled_periods;
  Reading<double> throttled;  // s, summed over cores
  // Pressure: s in which some, or all, tasks waited.
  Reading<double> cpu_some;
  Reading<double> io_some;
  Reading<double> io_full;
  Reading<double> memory_some;
  Reading<double> memory_full;
  Reading<double> group_cpu_some;  // of the own control group
  Reading<double> group_io_full;
  Reading<double> group_memory_full;
  Reading<double> swapped_in;  // bytes, of the machine
  Reading<double> swapped_out;
  Reading<double> major_faults;    // of this process
  Reading<double> read_bytes;      // asked for by this process with read(2); sockets and pipes too
  Reading<double> storage_bytes;   // of these and of mapped files, those that came from storage
  Reading<double> machine_busy;    // s of all cores, this process included
  Reading<double> machine_stolen;  // s that a hypervisor gave to others
  Reading<double> process_cpu;     // s
  Reading<double> free_memory;     // no counter: now, without swapping
  Reading<std::vector<ThreadClock>> threads;

  bool operator==(const HostCounters&) const = default;
};

// Calls `visit(name, reading)` for every number.
template <typename Counters, typename Visitor>
void visit_counters(Counters& c, Visitor&& visit) {
  visit("periods", c.periods);
  visit("throttled_periods", c.throttled_periods);
  visit("throttled", c.throttled);
  visit("cpu_some", c.cpu_some);
  visit("io_some", c.io_some);
  visit("io_full", c.io_full);
  visit("memory_some", c.memory_some);
  visit("memory_full", c.memory_full);
  visit("group_cpu_some", c.group_cpu_some);
  visit("group_io_full", c.group_io_full);
  visit("group_memory_full", c.group_memory_full);
  visit("swapped_in", c.swapped_in);
  visit("swapped_out", c.swapped_out);
  visit("major_faults", c.major_faults);
  visit("read_bytes", c.read_bytes);
  visit("storage_bytes", c.storage_bytes);
  visit("machine_busy", c.machine_busy);
  visit("machine_stolen", c.machine_stolen);
  visit("process_cpu", c.process_cpu);
  visit("free_memory", c.free_memory);
}

// Takes about a millisecond: see the cost that ResourceMonitor measures.
HostCounters read_host_counters(const std::filesystem::path& root);

enum class Reasons { written, left_out };
// Values by name, "threads", and reasons under "unknown".
nlohmann::json to_json(const HostCounters& counters, Reasons reasons = Reasons::written);
Result<HostCounters> to_host_counters(const nlohmann::json& object);

}  // namespace qanat
