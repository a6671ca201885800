// Where a training step spends its time, phase by phase, and whether free data would help as much
// as the breakdown says: the prediction beside a run whose batches stayed on the device.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/recommendation.h"
#include "metrics/sample_summary.h"

namespace qanat {

struct PhaseTimes {
  std::string name;  // "data wait", ..., "step" for the whole
  SampleSummary seconds;
  double share = 0;  // of the step
};

enum class ProbeOutcome {
  confirmed,  // both say the same
  cheaper,    // without a loader at work, steps cost even less: it takes time from the model
  dearer      // the machine, or the batches that were kept, differ from the run before
};
std::string_view to_string(ProbeOutcome outcome);
Message to_message(ProbeOutcome outcome);

// The mean step if data were free: from the breakdown of the run, and live, for equal work.
struct CachedProbe {
  std::size_t steps = 0;  // with a batch that was there already
  double predicted = 0;   // s
  Range predicted_ci95{};
  double measured = 0;  // s
  Range measured_ci95{};
  ProbeOutcome outcome = ProbeOutcome::confirmed;

  double error() const { return measured > 0 ? predicted / measured - 1 : 0; }
};

struct StepProfile {
  Diagnosis diagnosis{};
  std::vector<PhaseTimes> phases{};
  std::optional<CachedProbe> probe{};  // absent: not run, or too short
  std::vector<Recommendation> recommended{};
};

// `cached` is a run that trained on every batch several times; null when there was none.
StepProfile profile_step(const RunSummary& run, const RunSummary* cached);

}  // namespace qanat
