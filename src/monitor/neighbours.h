// Is the machine busy with something else? What other programs took of it between two readings of
// its counters. Times that were measured meanwhile tell little about the run itself.
#pragma once

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

}  // namespace qanat
