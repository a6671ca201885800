// Pressure stall information: for how long tasks waited for the processor, for storage and for
// memory. Totals since boot; two of them make a share of the time between.
#pragma once

#include <filesystem>

#include "monitor/reading.h"

namespace qanat {

struct Pressure {
  double some = 0;  // s in which at least one task waited
  double full = 0;  // s in which all of them waited

  bool operator==(const Pressure&) const = default;
};

struct PressureTotals {
  Reading<Pressure> cpu;  // `full` has no meaning for the machine as a whole
  Reading<Pressure> io;
  Reading<Pressure> memory;
};

PressureTotals read_machine_pressure(const std::filesystem::path& root);
// Of the control group of this process; version 2 only.
PressureTotals read_group_pressure(const std::filesystem::path& root);

}  // namespace qanat
