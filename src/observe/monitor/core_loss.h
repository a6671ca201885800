// Do other programs take cores that this process wants to compute on? Cheap enough to be asked
// several times a second.
#pragma once

#include <filesystem>
#include <optional>

#include "base/time.h"
#include "monitor/neighbours.h"

namespace qanat {

// Counts from one call of next() to the following one. A value; not thread-safe.
class CoreLossWatch {
 public:
  explicit CoreLossWatch(std::filesystem::path root = "/");

  // Cores that others used while threads of this process waited for one, and those that a quota
  // withheld; nothing where the kernel does not say.
  std::optional<double> next();

 private:
  std::filesystem::path root_;
  NeighbourWatch neighbours_;
  Clock::time_point begin_;
  std::optional<double> queued_;  // s that threads of this process were ready without a core
  double throttled_;              // s
};

// Decides, reading by reading, whether the cores are contended: at once when they are, and only
// after some time when they are no more, because neighbours pause. A value.
class ContentionLatch {
 public:
  static constexpr double kContended = 0.2;  // cores
  static constexpr double kFree = 0.1;
  static constexpr int kFreeReadings = 8;  // in a row

  // `lost`: see CoreLossWatch; an unknown one changes nothing.
  bool update(std::optional<double> lost);

 private:
  bool contended_ = false;
  int free_readings_ = 0;
};

}  // namespace qanat
