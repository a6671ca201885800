// Everything `qanat diagnose` does: looks at the machine, checks configuration and data set,
// measures storage and loader, trains for a short while, and judges all of it with the rules.
//
// What cannot be done is listed with its reason; a machine without GPU, PSI, readable control
// groups or a data set gets a shorter report, never a failure.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/progress.h"
#include "config/load_config.h"
#include "diagnose/run_summary.h"
#include "report/full_diagnosis.h"

namespace qanat {

enum class DiagnoseDepth {
  quick,  // no training
  full,
};

struct DiagnoseRequest {
  LoadedConfig config;
  DiagnoseDepth depth = DiagnoseDepth::full;
  std::int64_t steps = 60;
  Seconds timeout{120};              // that the short run may take
  std::filesystem::path folder{};    // takes the journal of the short run; empty: nothing is kept
  std::filesystem::path root = "/";  // where /proc and /sys are looked for
  SayFn say{};
  StartProgressFn progress{};
  std::stop_token stop{};
};

// Nothing when stopped. Throws Error when a data set was named that is not there.
std::optional<FullDiagnosis> run_diagnosis(const DiagnoseRequest& request);

}  // namespace qanat
