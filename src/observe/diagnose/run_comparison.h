// Is a run faster or slower than another one? By throughput of speech, with its uncertainty; and
// what else is different about the two.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "diagnose/run_measures.h"
#include "diagnose/run_summary.h"
#include "diagnose/spread_change.h"

namespace qanat {

enum class Change { faster, slower, none };
std::string_view to_string(Change change);
Message to_message(Change change);

struct RunComparison {
  double ratio = 1;  // frames per second of the new run over those of the old, without padding
  Range ci95{.low = 1, .high = 1};
  Change change = Change::none;
  SpreadChange spread{};  // of steps of equal work
  // Why the figures carry no ratio; absent: they do. Such a ratio is not shown.
  std::optional<Message> withheld{};
};

// A change counts when even the near end of its interval is further than this from 1.
inline constexpr double kTolerance = 0.03;

// A setting, or a fact about the data, that two runs do not share.
struct Difference {
  std::string key;  // "data.batch_size"
  std::string now;
  std::string before;

  // Two sets of clips: a ratio of their speeds tells little about the program.
  bool is_of_data() const;
  bool operator==(const Difference&) const = default;
};

// By their journals. Names of folders for results, lengths of runs and seeds do not count.
std::vector<Difference> differences(const RunSummary& now, const RunSummary& before);

// What an interval of a ratio says.
Change change_of(const Range& ci95);

RunComparison compare_runs(const RunMeasures& now, const RunMeasures& before);

}  // namespace qanat
