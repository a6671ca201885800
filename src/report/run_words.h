// The words that all forms of a run's report share, in the language asked for. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/run_comparison.h"
#include "report/dataset_words.h"
#include "report/words.h"

namespace qanat {

// Mean, spread, quantiles and throughput of the steady steps, as lines of name and value. A
// quantile without a bound says how many steps it needs.
std::vector<FactLine> timing_facts(const RunMeasures& measures, const Words& words);

// "1.38x [1.31, 1.45]"
std::string speedup_words(const Gain& gain, const Words& words);
// "121.0 ms -> 88.0 ms per step (ledger)"
std::string gain_words(const Gain& gain, const Words& words);
// "97.0 %", "53.5 MiB", "3 steps"; a name that says its unit already is not followed by it.
std::string evidence_value(const Evidence& evidence, const Words& words);
// "workers_busy_share 97.0 %"
std::string evidence_words(const Evidence& evidence, const Words& words);
// "20 % of the step time is recoverable"; empty when nothing is.
std::string recoverable_words(const Diagnosis& diagnosis, const Words& words);
// Checks that were skipped for one reason: a machine without a GPU skips a dozen.
struct SkippedChecks {
  std::vector<std::string> ids;
  std::string reason;
};
std::vector<SkippedChecks> skipped_by_reason(const Diagnosis& diagnosis);
// "SLOWER   0.900x its frames per second [0.880, 0.920]"
std::string comparison_words(const RunComparison& comparison, const Words& words);

}  // namespace qanat
