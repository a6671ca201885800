// Paced readings side by side, for people.
#pragma once

#include <span>
#include <string>

#include "app/demo_show.h"

namespace qanat {

// A table, one line per loader, ours first.
std::string render_paced_table(std::span<const PacedReading> readings);

// One sentence on what the table shows: whether ours keeps the pace, and the others beside it.
std::string paced_verdict(std::span<const PacedReading> readings);

// A loader keeps a pace when its consumer waits less than this share of the time.
inline constexpr double kWaitShareOfAKeptPace = 0.01;

}  // namespace qanat
