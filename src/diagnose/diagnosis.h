// What holds a run back, in order of what can be won: all rules applied to one trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnose/finding.h"
#include "diagnose/run_measures.h"
#include "diagnose/run_trace.h"

namespace qanat {

enum class VerdictKind {
  balanced,        // nothing worth mentioning can be won
  input_bound,     // the device waits for data
  transfer_bound,  // the device waits for batches on their way
  host_overhead,   // saving, logging, retries, stalls
  compute_bound,   // the device works, and could work better
  incomplete       // too few steps, or a ledger that does not close
};
std::string_view to_string(VerdictKind kind);

struct Diagnosis {
  VerdictKind verdict = VerdictKind::incomplete;
  std::string why{};             // in one sentence
  double recoverable_share = 0;  // of the step, by the first finding
  RunMeasures measures{};
  std::vector<Finding> findings{};  // the greatest gain first
  std::vector<PassedCheck> passed{};
  std::vector<SkippedCheck> skipped{};
};

Diagnosis diagnose_run(const RunTrace& trace);

}  // namespace qanat
