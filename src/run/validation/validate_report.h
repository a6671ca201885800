// What `qanat validate` found: five checks in order, and whether two devices pay here. Values only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "diagnose/dual_profile.h"
#include "diagnose/turn_comparison.h"
#include "report/document.h"

namespace qanat {

enum class CheckOutcome { pass, fail, skipped };

struct ValidationCheck {
  int number = 0;
  Message name;
  CheckOutcome outcome = CheckOutcome::skipped;
  // What was seen, or why it failed. Keys of seconds end in `_s`, of memory in `_mb`.
  std::vector<Fact> facts{};
};

// A short run of the real pipeline.
struct ModeRun {
  std::string mode;  // "dual", "single", "replicas"
  double steps_per_s = 0;
  double rows_per_s = 0;
  double wait_share = 0;            // of the model device's time, for batches
  double model_busy = 0;            // share of the time
  std::optional<double> data_busy;  // of the data device; dual only
  double first_loss = 0;
  double last_loss = 0;
  int device_cores = 1;                  // that the model device computes on; a GPU: 1
  std::optional<double> others_share{};  // of the cores, taken by other programs meanwhile
};

struct ValidationReport {
  std::vector<ValidationCheck> checks;
  std::optional<ModeRun> dual;  // the mean of its turns
  std::optional<ModeRun> single;
  std::optional<RunComparison> comparison;             // dual over single, steps per second
  std::optional<ModeRun> replicas{};                   // one of the two
  std::optional<RunComparison> replicas_comparison{};  // both over single
  bool device_lost = false;  // a GPU stopped answering: a fault of hardware

  bool passed() const;
};

// The mean of each figure; the losses of the first and the last. There is at least one.
ModeRun mean_run(std::span<const ModeRun> turns);

// "dual beats single here: 1.42x [1.40, 1.44]", or why it cannot be said; nothing when one of the
// two did not run.
std::optional<Message> mode_verdict(const ValidationReport& report);
// Which of the three ways pays; nothing where not all of them ran.
std::optional<Message> best_use_verdict(const ValidationReport& report);

std::string render_check(const ValidationCheck& check, const Translator& t = Translator());
std::string render_summary(const ValidationReport& report, const Translator& t = Translator());
nlohmann::json to_json(const ValidationReport& report);

}  // namespace qanat
