// Short trainings in the modes that a demonstration compares, in interleaved turns, measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "app/training_modes.h"
#include "base/progress.h"
#include "locale/translator.h"
#include "report/mode_table.h"

namespace qanat {

struct ModeRunRequest {
  std::vector<TrainingMode> modes;
  std::int64_t steps = 30;  // of each turn
  int rounds = 3;           // turns of each mode
  // The demonstration's; takes <mode>/journal.jsonl and report.html of the first turn, and the
  // journals of the others in <mode>/turn-2, ...
  std::filesystem::path folder;
  Translator words{};     // of the pages
  ProgressFn progress{};  // steps of all turns
  std::stop_token stop{};
};

// Nothing when it was stopped before its last step. Throws Error as run_training() does.
std::optional<std::vector<ModeRow>> run_modes(const ModeRunRequest& request);

}  // namespace qanat
