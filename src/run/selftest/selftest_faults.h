// The faults that `qanat selftest` plants, at several strengths, and the healthy runs beside them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "selftest/fault_injection.h"
#include "selftest/paced_run.h"

namespace qanat {

// A run that is to be diagnosed: settings and what is wrong with it. A step of the device takes
// about eight milliseconds.
struct FaultyRun {
  std::vector<std::string> sets{};  // of the configuration: "data.num_workers=1"
  RowFaults rows{};
  HostStalls stalls{};  // how long; how often is configured
  LinkModel link{};
  StepCost cost{};
  int spinning_threads = 0;
  int spinning_processes = 0;
  std::int64_t steps = 300;
};

// How the run is fixed to see whether the gain is as predicted.
enum class Remedy {
  apply_fix,     // the first fix of the finding
  remove_fault,  // what no flag can do: another disk, a free machine
  none           // there is nothing to fix
};

struct InjectedFault {
  std::string name;      // "slow storage"
  std::string strength;  // "3 ms per file"
  // Rules of which one has to come first; empty: the run is healthy, and none may warn.
  std::vector<std::string> expected{};
  FaultyRun run{};
  Remedy remedy = Remedy::none;
  // Counters that only a real container or a real shortage would change, changed by hand.
  std::function<void(RunSummary&)> pretend{};
};

// quick: one strength of each fault, and a few healthy runs.
enum class SelftestSize { quick, full };

std::vector<InjectedFault> injected_faults(SelftestSize size);

// The same run with what is wrong taken away.
FaultyRun without_fault(const FaultyRun& run);

}  // namespace qanat
