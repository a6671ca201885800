#include "diagnose/run_trace.h"

#include <fmt/format.h>

#include "metrics/journal.h"
#include "metrics/pipeline_record.h"

namespace qanat {
namespace {

std::string kind_of(const nlohmann::json& line) {
  const auto kind = line.find("kind");
  return kind != line.end() && kind->is_string() ? kind->get<std::string>() : std::string();
}

std::vector<Cadence> read_cadences(const nlohmann::json& run) {
  std::vector<Cadence> cadences;
  const auto listed = run.find("cadences");
  if (listed == run.end() || !listed->is_object()) {
    return cadences;
  }
  for (const auto& [name, period] : listed->items()) {
    if (period.is_number_integer() && period.get<std::int64_t>() > 1) {
      cadences.push_back({.name = name, .period = period.get<std::size_t>()});
    }
  }
  return cadences;
}

}  // namespace

void RunTrace::add(const StepRecord& step) {
  steps.push_back(step);
  if (steps.size() > kMostSteps) {
    steps.pop_front();
    ++steps_before;
  }
}

void RunTrace::add(const nlohmann::json& line) {
  const std::string kind = kind_of(line);
  if (kind == "journal") {
    // A resumed run: what was measured before happened under other conditions.
    *this = RunTrace{.damaged_lines = damaged_lines, .sessions = sessions + 1};
  } else if (kind == "run") {
    run = line;
    cadences = read_cadences(line);
  } else if (kind == "step") {
    const Result<StepRecord> step = to_step_record(line);
    step ? add(step.value()) : static_cast<void>(++damaged_lines);
  } else if (kind == "pipeline") {
    const Result<PipelineStats> stats = to_pipeline_stats(line);
    stats ? static_cast<void>(pipeline = stats.value()) : static_cast<void>(++damaged_lines);
  } else if (kind == "ended") {
    ended = true;
  }
}

Result<RunTrace> read_run_trace(const std::filesystem::path& journal) {
  RunTrace trace;
  const Result<int> damaged =
      visit_journal(journal, [&trace](const nlohmann::json& line) { trace.add(line); });
  if (!damaged) {
    return damaged.failure();
  }
  trace.damaged_lines += damaged.value();
  if (trace.steps.empty()) {
    return Failure{fmt::format(
        "{}: the last session of this journal holds no step; expected a journal of `qanat train`",
        journal.string())};
  }
  return trace;
}

}  // namespace qanat
