#include "diagnose/rules.h"

#include <array>

#include "diagnose/rules_compute.h"
#include "diagnose/rules_data.h"
#include "diagnose/rules_rhythm.h"

namespace qanat {

std::string_view to_string(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::info:
      return "info";
    case FindingSeverity::warn:
      return "warn";
    case FindingSeverity::crit:
      return "crit";
  }
  return "unknown";
}

FindingSeverity severity_of(const Gain& gain) {
  const double recoverable = 1 - gain.step_if_fixed / gain.step_now;
  // What could be nothing at all is no warning.
  if (gain.ci95.low <= 1 || recoverable < kWorthMentioning) {
    return FindingSeverity::info;
  }
  return recoverable < kSevere ? FindingSeverity::warn : FindingSeverity::crit;
}

std::span<const Rule> all_rules() {
  static constexpr auto kRules = std::to_array<Rule>({
      {"DL002",
       "data",
       "the device waits, workers are always busy and cores are idle",
       too_few_workers},
      {"DL003",
       "data",
       "the device waits, and all allowed cores already prepare data",
       workers_at_limit},
      {"DL005",
       "data",
       "the device waits although data is prepared fast enough on average",
       buffer_too_shallow},
      {"DL007", "data", "time spent on padding", padding_waste},
      {"DL012", "data", "utterances that could not be used", bad_utterances},
      {"MG003", "transfer", "the device waits for batches on their way to it", transfer_exposed},
      {"CMP001", "compute", "cost of a step that does not depend on the work in it", fixed_cost},
      {"CMP006", "compute", "share of the optimizer", optimizer_share},
      {"CMP007", "compute", "the device waits for checkpoints or logging", saving_exposed},
      {"CMP008", "compute", "steps done twice after running out of memory", memory_retries},
      {"PER001", "rhythm", "a stall every so many steps", periodic_stall},
      {"PER002", "rhythm", "steps that get slower and slower", drift},
      {"PER003", "rhythm", "steps that got slower at one moment", level_shift},
      {"VAR001", "rhythm", "rare long steps", intermittent_stalls},
      {"VAR002", "rhythm", "steps of equal work that take unequal time", jitter},
  });
  return kRules;
}

}  // namespace qanat
