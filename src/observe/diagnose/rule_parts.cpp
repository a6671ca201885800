#include "diagnose/rule_parts.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "diagnose/gain.h"
#include "locale/messages/verdicts.h"
#include "metrics/order_statistics.h"
#include "monitor/reading_words.h"

namespace qanat {
double wait_of(const StepRecord& step) {
  return step.phases.wait.count();
}

BreakdownPart part_of(const StepPart& part) {
  if (part.kind == StepPartKind::work && part.time != &StepPhases::retry) {
    return BreakdownPart::work;
  }
  constexpr auto kOthers = std::to_array<std::pair<Seconds StepPhases::*, BreakdownPart>>({
      {&StepPhases::wait, BreakdownPart::wait},
      {&StepPhases::transfer, BreakdownPart::transfer},
      {&StepPhases::launch, BreakdownPart::launch},
      {&StepPhases::exchange, BreakdownPart::exchange},
      {&StepPhases::checkpoint, BreakdownPart::saving},
      {&StepPhases::retry, BreakdownPart::retry},
  });
  for (const auto& [time, found] : kOthers) {
    if (time == part.time) {
      return found;
    }
  }
  return BreakdownPart::unknown;
}

PartSeconds seconds_by_part(const StepPhases& phases) {
  PartSeconds seconds{};
  for (const StepPart& part : kStepParts) {
    seconds[static_cast<std::size_t>(part_of(part))] += (phases.*part.time).count();
  }
  return seconds;
}

Gain gain_of_share(const RunMeasures& measures, ShareOfStep saved, GainMethod method) {
  return make_gain(measures.mean_step,
                   saving_within(saved.share * measures.mean_step, saved.low, saved.high),
                   method);
}

Gain no_gain(const RunMeasures& measures) {
  return {.step_now = measures.mean_step, .step_if_fixed = measures.mean_step};
}

bool waits_for_data(const RunMeasures& measures) {
  return measures.share(measures.breakdown.wait) >= kMinReportableGain;
}

Gain gain_without_waiting(const RunMeasures& measures) {
  return gain_without(measures, wait_of);
}

Reading<GpuSetup> gpus_of(const RunSummary& summary) {
  return summary.gpus ? summary.gpus->setup
                      : Reading<GpuSetup>::none("the journal has no line about GPUs");
}

RuleOutcome skipped_because(const std::string& why) {
  return skipped(msg::skip_unreadable{.why = reading_words(why)});
}

Fix set_key(std::string key, std::string value, std::optional<double> predicted) {
  return {.key = std::move(key), .value = std::move(value), .predicted_step = predicted};
}

Fix set_key(std::string key, int value, std::optional<double> predicted) {
  return set_key(std::move(key), std::to_string(value), predicted);
}

Fix precompute_features(std::optional<double> predicted) {
  Fix fix = set_key("data.preprocessing_mode", "precompute", predicted);
  fix.precondition = msg::after_precompute{};
  return fix;
}

Fix do_this(Message what, std::optional<double> predicted) {
  return {.predicted_step = predicted, .action = std::move(what)};
}

namespace {

const nlohmann::json* value_of(const RunSummary& summary, std::string_view key) {
  const std::size_t dot = key.find('.');
  if (dot == std::string_view::npos || !summary.config.is_object()) {
    return nullptr;
  }
  const auto section = summary.config.find(std::string(key.substr(0, dot)));
  if (section == summary.config.end() || !section->is_object()) {
    return nullptr;
  }
  const auto value = section->find(std::string(key.substr(dot + 1)));
  return value != section->end() && !value->is_null() ? &*value : nullptr;
}

}  // namespace

std::optional<double> configured(const RunSummary& summary, std::string_view key) {
  const nlohmann::json* const value = value_of(summary, key);
  if (value == nullptr || !(value->is_number() || value->is_boolean())) {
    return std::nullopt;
  }
  return value->is_boolean() ? (value->get<bool>() ? 1.0 : 0.0) : value->get<double>();
}

bool is_set(const RunSummary& summary, std::string_view key, std::string_view value) {
  const nlohmann::json* const now = value_of(summary, key);
  if (now == nullptr) {
    return false;
  }
  if (now->is_string()) {
    return now->get<std::string>() == value;
  }
  const nlohmann::json wanted = nlohmann::json::parse(value, nullptr, /*allow_exceptions=*/false);
  return !wanted.is_discarded() && wanted == *now;
}

int batch_size_of(const RuleInput& input) {
  if (const std::optional<double> size = configured(input.summary, "data.batch_size")) {
    return static_cast<int>(std::clamp(*size, 1.0, 1e6));
  }
  std::vector<double> rows;
  for (const StepRecord& step : input.measures.steady) {
    rows.push_back(step.rows);
  }
  return rows.empty() ? 1 : std::max(1, static_cast<int>(median(rows)));
}

bool can_record_graphs(const RunSummary& summary) {
  return summary.run.device.value_or("").starts_with("cuda") &&
         summary.run.world.value_or(1) <= 1 && !is_set(summary, "training.task", "vocoder") &&
         configured(summary, "training.enable_graph_mode") == 0.0;
}

Message by_command(std::string command) {
  return msg::verbatim_text{.text = std::move(command)};
}

}  // namespace qanat
