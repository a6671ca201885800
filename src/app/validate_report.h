// What `qanat validate` found: five checks in order, and whether two devices pay here. Values only.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "report/words.h"

namespace qanat {

enum class CheckOutcome { pass, fail, skipped };

struct ValidationCheck {
  int number = 0;
  std::string name;  // English, as the findings: JSON holds them
  CheckOutcome outcome = CheckOutcome::skipped;
  std::vector<std::string> findings;  // a line each: what was seen, or why it failed
  nlohmann::json figures = nlohmann::json::object();  // seconds carry `_s`, memory `_mb`
};

// A short run of the real pipeline.
struct ModeRun {
  std::string mode;  // "dual", "single"
  double steps_per_s = 0;
  double rows_per_s = 0;
  double wait_share = 0;            // of the model device's time, for batches
  double model_busy = 0;            // share of the time
  std::optional<double> data_busy;  // of the data device; dual only
  double first_loss = 0;
  double last_loss = 0;
};

struct ValidationReport {
  std::vector<ValidationCheck> checks;
  std::optional<ModeRun> dual;
  std::optional<ModeRun> single;
  bool device_lost = false;  // a GPU stopped answering: a fault of hardware

  bool passed() const;
};

// "dual is 1.42 x as fast as single here: ..."; empty when one of the two did not run.
std::string mode_verdict(const ValidationReport& report);

std::string render_check(const ValidationCheck& check, const Words& words = Words());
std::string render_summary(const ValidationReport& report, const Words& words = Words());
nlohmann::json to_json(const ValidationReport& report);

}  // namespace qanat
