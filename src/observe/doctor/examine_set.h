// `qanat data doctor`: looks at every clip of a set once and says what is wrong with which.
#pragma once

#include <optional>
#include <stop_token>

#include "base/progress.h"
#include "doctor/doctor_report.h"
#include "evaluate/judge.h"

namespace qanat {

struct ExamineOptions {
  ManifestOptions manifest;
  std::optional<std::filesystem::path> view{};  // what it leaves out is not judged
  std::optional<JudgeCommand> asr{};
  int threads = 0;  // 0: one per core
  ProgressFn measuring{};
  ProgressFn listening{};
  std::stop_token stop{};
};

// Nothing when stopped. Throws Error where there is no set. Writes nothing. The report does not
// depend on the number of threads.
std::optional<DoctorReport> examine_set(const ExamineOptions& options);

}  // namespace qanat
