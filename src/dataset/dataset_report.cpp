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
  const auto begin = std::ranges::lower_bound(report.problems, kind, {}, &DatasetProblem::kind);
  const auto end = std::ranges::upper_bound(report.problems, kind, {}, &DatasetProblem::kind);
  return {begin, end};
}

}  // namespace qanat
