// What GPUs did in a session, added up from the lines of kind "devices" of its journal: readings
// as they were last, and counters that only grow. Values; absent is unknown, never zero.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "metrics/journal_event.h"

namespace qanat {

struct GpuTotals {
  std::string id;                        // the first part of its UUID, or its place
  std::map<std::string, double> latest;  // readings of the newest sample by name
  std::optional<double> energy;          // J, between the first sample and the newest
  std::map<int, double> limited;         // s in which the clocks were held back, by bit
  std::map<int, std::int64_t> xids;      // errors by number

  bool operator==(const GpuTotals&) const = default;
};

class GpuCounters {
 public:
  // One without GPUs is passed over.
  void add(const GpuSamples& seen, Seconds at);

  const std::vector<GpuTotals>& gpus() const { return gpus_; }

 private:
  void add_sample(GpuTotals& gpu, const nlohmann::json& sample, Seconds since);

  std::vector<GpuTotals> gpus_;
  std::optional<Seconds> sampled_;
};

}  // namespace qanat
