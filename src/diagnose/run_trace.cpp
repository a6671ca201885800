#include "diagnose/run_trace.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "metrics/journal.h"
#include "metrics/pipeline_record.h"
#include "metrics/slot_line.h"

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

double length_of(const nlohmann::json& line, const char* stage) {
  return stage_time(line, stage).value_or(StageTime{}).length();
}

// From the end of one stage to the beginning of another one.
double gap_between(const nlohmann::json& line, const char* before, const char* after) {
  const std::optional<StageTime> first = stage_time(line, before);
  const std::optional<StageTime> second = stage_time(line, after);
  return first && second ? std::max(0.0, second->begin - first->end) : 0;
}

double number_of(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number() ? found->get<double>() : 0;
}

BatchWay to_way(const nlohmann::json& line) {
  return {.work = number_of(line, "work"),
          .stage = length_of(line, "stage"),
          .prepare = length_of(line, "prepare"),
          .copy = length_of(line, "copy"),
          .bytes = number_of(line, "bytes"),
          .ready = gap_between(line, "copy", "train")};
}

// A file that goes on where another one ended.
bool continues_session(const nlohmann::json& header) {
  return header.contains("continues");
}

}  // namespace

void RunTrace::add(const StepRecord& step) {
  steps.push_back(step);
  if (steps.size() > kMostSteps) {
    steps.pop_front();
    ++steps_before;
  }
}

void RunTrace::keep_latest(std::size_t most) {
  while (steps.size() > most) {
    steps.pop_front();
    ++steps_before;
  }
  while (ways.size() > most) {
    ways.pop_front();
  }
}

void RunTrace::add(PipelineStats reading) {
  if (pipeline) {
    readings.push_back(*std::move(pipeline));
  }
  pipeline = std::move(reading);
  if (readings.size() > kMostReadings) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < readings.size(); i += 2) {
      readings[kept++] = std::move(readings[i]);
    }
    readings.resize(kept);
  }
}

void RunTrace::add(const nlohmann::json& line) {
  const std::string kind = kind_of(line);
  if (kind == "journal" && continues_session(line)) {
    sessions = std::max(sessions, 1);
  } else if (kind == "journal") {
    // A resumed run: what was measured before happened under other conditions.
    *this = RunTrace{.damaged_lines = damaged_lines, .sessions = sessions + 1};
    if (const auto found = line.find("config"); found != line.end() && found->is_object()) {
      config = *found;
    }
    if (const auto found = line.find("trainer"); found != line.end() && *found == "torch") {
      trained_by = TrainedBy::torch;
    }
  } else if (kind == "run") {
    run = line;
    cadences = read_cadences(line);
  } else if (kind == "step") {
    const Result<StepRecord> step = to_step_record(line);
    step ? add(step.value()) : static_cast<void>(++damaged_lines);
  } else if (kind == "pipeline") {
    const Result<PipelineStats> stats = to_pipeline_stats(line);
    stats ? add(stats.value()) : static_cast<void>(++damaged_lines);
  } else if (kind == "slot") {
    ways.push_back(to_way(line));
    if (ways.size() > kMostSteps) {
      ways.pop_front();
    }
  } else if (kind == "host") {
    damaged_lines += add_host_line(line, !steps.empty(), host) ? 0 : 1;
  } else if (kind == "devices") {
    damaged_lines += add_devices_line(line, gpus) ? 0 : 1;
  } else if (kind == "storage") {
    const Result<StorageReading> reading = to_storage_reading(line);
    reading ? static_cast<void>(storage = reading.value()) : static_cast<void>(++damaged_lines);
  } else if (kind == "telemetry") {
    const auto spent = line.find("journal_s");
    if (spent != line.end() && spent->is_number()) {
      journal_seconds = spent->get<double>();
    }
  } else if (kind == "ended") {
    ended = true;
  }
}

std::string no_step_in(const std::filesystem::path& journal) {
  return fmt::format("{}: this journal holds no step; expected a journal of `qanat train`",
                     journal.string());
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
    return Failure{no_step_in(journal)};
  }
  return trace;
}

}  // namespace qanat
