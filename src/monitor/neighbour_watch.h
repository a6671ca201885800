// How much of the cores other programs take while something is measured: what is measured beside
// them says little about this program.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace qanat {

// Seconds that these cores were busy so far, for whatever program, and what a hypervisor gave away
// of them; `stat` is the text of /proc/stat. Nothing when a core is not in it.
std::optional<double> busy_seconds(std::string_view stat, std::span<const int> cores);

// Counts from its construction on. A value; not thread-safe.
class NeighbourWatch {
 public:
  explicit NeighbourWatch(std::filesystem::path root = "/");

  // Share of the cores this process may run on that programs other than this one took since then;
  // nothing where the kernel does not say. `children`: CPU time of children that still run.
  std::optional<double> others_share(Seconds children = Seconds{0}) const;

 private:
  std::optional<double> busy_now() const;

  std::filesystem::path root_;
  std::vector<int> cores_;
  Clock::time_point begin_;
  std::optional<double> busy_;
  Seconds own_;
};

}  // namespace qanat
