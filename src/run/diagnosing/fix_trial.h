// Does the fix of a finding do what it promises? The unchanged run and the changed one, turn by
// turn, so that a machine that gets slower or faster meanwhile favours neither.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/result.h"
#include "config/load_config.h"
#include "diagnose/finding.h"
#include "diagnose/run_measures.h"
#include "locale/translator.h"

namespace qanat {

// A factor on frames per second.
struct Speedup {
  double value = 1;
  Range ci95{.low = 1, .high = 1};
};

struct FixTrial {
  std::string id;  // of the finding
  Fix fix;
  std::optional<Speedup> predicted;  // absent: the finding promised nothing
  Speedup realised;
  int rounds = 0;
  double step_before = 0;  // s, mean of all rounds
  double step_after = 0;

  // How far the prediction was off, as a share of what was realised.
  std::optional<double> error() const;
  bool wins() const { return realised.ci95.low > 1; }
};

struct FixTrialRequest {
  LoadedConfig config;
  Finding finding;
  std::int64_t steps = 60;  // of each run
  int rounds = 3;           // of both
  SayFn say{};
  StartProgressFn progress{};
  std::stop_token stop{};
};

// The configuration with the fix in it. Fails for what is no key or no value of it.
Result<LoadedConfig> apply_fix(LoadedConfig config, const Fix& fix);

// What pairs of runs say together: `before` and `after` of one round stand at the same place.
Speedup realised_speedup(const std::vector<RunMeasures>& before,
                         const std::vector<RunMeasures>& after);

// Nothing when stopped. Features that the fix needs are made in a temporary folder first. Throws
// Error when the finding has no fix that can be applied, or a run does not work.
std::optional<FixTrial> try_fix(const FixTrialRequest& request);

std::string render_text(const FixTrial& trial, const Translator& words = Translator());
nlohmann::ordered_json to_json(const FixTrial& trial);

}  // namespace qanat
