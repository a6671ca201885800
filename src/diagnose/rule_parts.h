// What several rules about host, storage and hardware need. See rules.h.
#pragma once

#include <string>

#include "diagnose/rules.h"

namespace qanat {

// The gain if `share` of the step were gone, known to within a factor: its interval reaches from
// `low` to `high` times the share. Nothing won (and no step time) when there are no steps.
struct ShareOfStep {
  double share = 0;
  double low = 0.5;
  double high = 1.5;
};
Gain gain_of_share(const RunMeasures& measures, ShareOfStep won, std::string method);
// For what is worth knowing but was not measured.
Gain no_gain(const RunMeasures& measures);

// The device waits long enough for data that the cause is worth looking for.
bool waits_for_data(const RunMeasures& measures);
Gain gain_without_waiting(const RunMeasures& measures);

// The GPUs, or why a rule cannot say anything about them.
Reading<GpuSetup> gpus_of(const RunTrace& trace);

// Data wait of a step, in seconds.
double wait_of(const StepRecord& step);

// The share of the step that fixing the finding saves.
double saved_share(const Finding& finding);

// Why a rule about the host is skipped.
inline constexpr const char* kNoHost =
    "the journal has no line about the host (pipeline.monitor_every is 0, or an older run)";
// How a finding is checked whose fix is a flag of the next run.
inline constexpr const char* kVerifyReport =
    "run again with the flag, then: qanat report JOURNAL --baseline OLD";

// Something to do to the machine, in words; no flag does it.
Fix system_fix(std::string what);

// "diagnose --verify ID", for findings whose fix is a flag.
std::string verify_command(const std::string& id);

}  // namespace qanat
