// Parts that the texts of all profiles share: the table of times and the recommended settings.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diagnose/diagnosis.h"
#include "diagnose/recommendation.h"
#include "metrics/sample_summary.h"

namespace qanat {

// "12.3 ms"
std::string milliseconds(double seconds);
// "12.3 %"
std::string percent(double share);

// The head of the table below, and a row of it, in milliseconds. A percentile without a bound is a
// dash.
std::string times_head();
std::string times_row(std::string_view name, const SampleSummary& seconds);
// What the dashes stand for, or nothing: "p95 needs 59 steps, p99 needs 299; there are 40".
std::string missing_percentiles(const SampleSummary& seconds, std::string_view unit);

// The section RECOMMENDED CONFIGURATION: flags, the same as YAML, and why. `otherwise` is said when
// there is nothing to change.
std::string render_recommended(std::span<const Recommendation> all, std::string_view otherwise);
// What is said instead: whether something is wrong that no setting changes.
std::string_view nothing_recommended(const Diagnosis& diagnosis);

}  // namespace qanat
