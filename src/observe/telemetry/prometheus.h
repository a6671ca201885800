// A run as Prometheus scrapes it: the text exposition format, version 0.0.4. By hand: a page of
// text needs no client library, and snapshots come from journals as well as from running programs.
//
// Names begin with qanat_, units are base units, times are counters (so that rate() gives exact
// shares over any window), ratios are between 0 and 1. Labels come from closed sets: never a step,
// a path or a run. What is not known is absent, not zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metrics/run_snapshot.h"

namespace qanat {

// A rule that was applied.
struct FindingState {
  std::string id;
  std::string severity;  // "none" when nothing was found
  bool active = false;
};

// What a journal does not say: who exports it, and what a diagnosis made of it.
struct ScrapeContext {
  std::string version{};  // empty: not exported
  std::optional<double> recoverable{};
  std::vector<FindingState> findings{};
};

// Pure. Ends in a newline.
std::string prometheus_text(const RunSnapshot& run, const ScrapeContext& context = {});

}  // namespace qanat
