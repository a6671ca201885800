// Parts that the reports of all profiles share: times in milliseconds, the recommended settings.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "diagnose/dual_profile.h"
#include "diagnose/recommendation.h"
#include "metrics/sample_summary.h"
#include "report/document.h"

namespace qanat {

// In milliseconds for people, in seconds for programs. Short times get the digits they need.
Value in_milliseconds(std::optional<double> seconds);

// The columns of a table of times behind the one of names, and the cells of a row.
std::vector<Column> times_columns();
std::vector<Value> times_cells(const SampleSummary& seconds);
// What dashes in such a row stand for: percentiles that need more values.
void add_missing_percentiles(const SampleSummary& seconds, std::vector<MessageArg>& remarks);

// 95 % of a mean.
Value interval_value(const Range& seconds);
// 1.48x [1.45, 1.51]
Message ratio_interval(double ratio, const Range& ci95);
// What two devices are best used for, and what that is over one.
Message describe_best_use(BestUse best, const RunComparison& pair, const RunComparison& replicas);

// RECOMMENDED CONFIGURATION: flags, why, and the same as YAML; `otherwise` where there are none.
// `key` of the list in JSON; empty: not there.
Section recommended_section(std::span<const Recommendation> settings,
                            const Message& otherwise,
                            std::string key = "recommended");
// What is said instead: whether something is wrong that no setting changes.
Message nothing_recommended(const Diagnosis& diagnosis);

}  // namespace qanat
