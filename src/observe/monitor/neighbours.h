// Is the machine busy with something else? What other programs took of it between two readings of
// its counters. Times that were measured meanwhile tell little about the run itself.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "monitor/host_counters.h"

namespace qanat {

struct Neighbours {
  double others = 0;  // cores that other programs kept busy
  double stolen = 0;  // cores that a hypervisor gave to others
  double cores = 1;   // of the machine

  double busy_share() const { return others / cores; }
  double stolen_share() const { return stolen / cores; }
  // Times are not to be compared.
  bool is_busy() const { return busy_share() >= kBusy || stolen_share() >= kStolen; }

  static constexpr double kBusy = 0.10;  // of the cores
  static constexpr double kStolen = 0.03;
};

// Child processes count as others. `cores`: of the machine.
Reading<Neighbours> measure_neighbours(const HostCounters& before,
                                       const HostCounters& after,
                                       Seconds between,
                                       const Reading<double>& cores);

// Seconds that these cores were busy so far, for whatever program, and what a hypervisor gave away
// of them; `stat` is the text of /proc/stat. Nothing when a core is not in it.
std::optional<double> busy_seconds(std::string_view stat, std::span<const int> cores);

// Counts from its construction on. A value; not thread-safe.
class NeighbourWatch {
 public:
  explicit NeighbourWatch(std::filesystem::path root = "/");

  // Cores, of those this process may run on, that programs other than this one took since then;
  // nothing where the kernel does not say. `children`: CPU time of children that still run.
  std::optional<double> others(Seconds children = Seconds{0}) const;
  // The same as a share of these cores.
  std::optional<double> others_share(Seconds children = Seconds{0}) const;

 private:
  std::optional<double> busy_now() const;

  std::filesystem::path root_;
  std::vector<int> cores_;
  Clock::time_point begin_;
  std::optional<double> busy_;
  Seconds own_;
};

// CPU time of this process so far, all threads.
Seconds process_cpu_time();

}  // namespace qanat
