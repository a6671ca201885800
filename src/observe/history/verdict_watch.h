// What slows a run down, for those who tell it while it runs: the diagnosis that `qanat top`, pages
// and reports make of the run's journal, handed over when its verdict has changed and lasted.
//
// Belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "diagnose/diagnosis.h"
#include "diagnose/settled_verdict.h"
#include "history/run_watch.h"

namespace qanat {

class VerdictWatch {
 public:
  // Part of the process that trains: what it holds stays small, however many steps there are.
  static constexpr std::size_t kMaxSteps = 20'000;

  explicit VerdictWatch(const std::filesystem::path& journal, RunWatchOptions options = {})
      : watch_(journal, with_few_steps(std::move(options))) {}

  // Takes what has come since the last call. The diagnosis when it says something that has not been
  // said; else null. Nothing after the end of the run: then there is a report.
  const Diagnosis* update();

  // The state after the newest step.
  const RunSnapshot& snapshot() const { return watch_.snapshot(); }
  const RunRecord& record() const { return watch_.record(); }

 private:
  static RunWatchOptions with_few_steps(RunWatchOptions options) {
    options.most_steps = std::min(options.most_steps, kMaxSteps);
    return options;
  }

  RunWatch watch_;
  SettledVerdict settled_;
};

}  // namespace qanat
