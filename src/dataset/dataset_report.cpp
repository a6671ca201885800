#include "dataset/dataset_report.h"

#include <algorithm>

namespace qanat {

std::int64_t count_of(const DatasetReport& report, Severity severity) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < report.counts.size(); ++i) {
    count += severity_of(static_cast<ProblemKind>(i)) == severity ? report.counts[i] : 0;
  }
  return count;
}

std::span<const DatasetProblem> problems_of(const DatasetReport& report, ProblemKind kind) {
  return std::ranges::equal_range(report.problems, kind, {}, &DatasetProblem::kind);
}

}  // namespace qanat
