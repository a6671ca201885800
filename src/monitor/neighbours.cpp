#include "monitor/neighbours.h"

#include <algorithm>

namespace qanat {

Reading<Neighbours> measure_neighbours(const HostCounters& before,
                                       const HostCounters& after,
                                       Seconds between,
                                       const Reading<double>& cores) {
  for (const Reading<double>* reading : {&before.machine_busy,
                                         &after.machine_busy,
                                         &before.process_cpu,
                                         &after.process_cpu,
                                         &before.machine_stolen,
                                         &after.machine_stolen,
                                         &cores}) {
    if (!*reading) {
      return Reading<Neighbours>::none(reading->why_not());
    }
  }
  if (between <= Seconds{0}) {
    return Reading<Neighbours>::none("no time passed between two looks");
  }
  const auto grown = [&](Reading<double> HostCounters::*counter) {
    return std::max(0.0, *(after.*counter) - *(before.*counter)) / between.count();
  };
  return Neighbours{
      .others =
          std::max(0.0, grown(&HostCounters::machine_busy) - grown(&HostCounters::process_cpu)),
      .stolen = grown(&HostCounters::machine_stolen),
      .cores = std::max(*cores, 1.0)};
}

}  // namespace qanat
