// The words that all forms of a run's report share, in the language asked for. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/run_comparison.h"
#include "report/document.h"

namespace qanat {

// Mean, spread, quantiles and throughput of the steady steps. A quantile without a bound says how
// many steps it needs.
std::vector<Fact> timing_facts(const RunMeasures& measures);

// What each rank did in a mean step; nothing for a run of one.
std::optional<Section> ranks_section(const RunMeasures& measures);

// Whether the run was stopped, failed, or has written nothing for long without saying that it
// ended.
bool broke_off(const RunMeasures& measures);

// "1.38x [1.31, 1.45]"
Message speedup_message(const Gain& gain);
// "121.0 ms -> 88.0 ms per step (replay)"
Message gain_message(const Gain& gain);
// "predicted 88.0 ms per step"
Message predicted_message(double step);
// "97.0 %", "53.5 MiB", "3 steps"
std::string evidence_value(const Evidence& evidence, const Translator& words);
// "20 % of the step time can be saved"; says nothing when nothing can.
Message recoverable_message(const Diagnosis& diagnosis);
// "5 found, 38 fine, 13 skipped"
Message counts_message(const Diagnosis& diagnosis);
// "38 checks passed; 13 skipped (no GPU: 13)"
std::string checks_words(const Diagnosis& diagnosis, const Translator& words);
// Checks that were skipped for one reason: a machine without a GPU skips a dozen.
struct SkippedChecks {
  std::vector<std::string> ids;
  Message reason;
};
std::vector<SkippedChecks> skipped_by_reason(const Diagnosis& diagnosis);
// "SLOWER   0.900x its frames per second [0.880, 0.920]"
Message comparison_message(const RunComparison& comparison);

}  // namespace qanat
