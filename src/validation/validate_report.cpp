#include "validation/validate_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/run_json.h"
#include "report/text_lines.h"

namespace qanat {
namespace {

const char* word(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::pass:
      return "PASS";
    case CheckOutcome::fail:
      return "FAIL";
    case CheckOutcome::skipped:
      return "skipped";
  }
  return "unknown";
}

nlohmann::json to_json(const ModeRun& run) {
  nlohmann::json object = {{"mode", run.mode},
                           {"steps_per_s", run.steps_per_s},
                           {"rows_per_s", run.rows_per_s},
                           {"wait_share", run.wait_share},
                           {"model_busy", run.model_busy},
                           {"first_loss", run.first_loss},
                           {"last_loss", run.last_loss}};
  if (run.data_busy) {
    object["data_busy"] = *run.data_busy;
  }
  return object;
}

}  // namespace

bool ValidationReport::passed() const {
  return !checks.empty() && std::ranges::all_of(checks, [](const ValidationCheck& check) {
    return check.outcome == CheckOutcome::pass;
  });
}

ModeRun mean_run(std::span<const ModeRun> turns) {
  ModeRun run = turns.front();
  run.last_loss = turns.back().last_loss;
  const auto count = static_cast<double>(turns.size());
  for (const auto figure :
       {&ModeRun::steps_per_s, &ModeRun::rows_per_s, &ModeRun::wait_share, &ModeRun::model_busy}) {
    double sum = 0;
    for (const ModeRun& turn : turns) {
      sum += turn.*figure;
    }
    run.*figure = sum / count;
  }
  if (run.data_busy) {
    double sum = 0;
    for (const ModeRun& turn : turns) {
      sum += turn.data_busy.value_or(0);
    }
    run.data_busy = sum / count;
  }
  return run;
}

std::string mode_verdict(const ValidationReport& report) {
  if (!report.comparison) {
    return "";
  }
  const RunComparison& seen = *report.comparison;
  if (!seen.withheld.empty()) {
    return fmt::format("whether dual pays cannot be said: {}", seen.withheld);
  }
  const std::string speeds =
      fmt::format("{:.2f} x [{:.2f}, {:.2f}]", seen.ratio, seen.ci95.low, seen.ci95.high);
  switch (seen.change) {
    case Change::faster:
      return fmt::format("dual beats single here: {}", speeds);
    case Change::slower:
      return fmt::format("dual does not pay here: {}; run without --data-gpu and --model-gpu",
                         speeds);
    case Change::none:
      break;
  }
  return fmt::format(
      "no difference between dual and single was seen here: {}; single needs one "
      "GPU less",
      speeds);
}

std::string render_check(const ValidationCheck& check, const Words& words) {
  std::string text = fmt::format("[{}] {:<28} {}\n",
                                 words.digits(fmt::format("{}/5", check.number)),
                                 words.say(check.name),
                                 words.say(word(check.outcome)));
  for (const std::string& line : check.findings) {
    text += "      " + translated_lines(line, words) + '\n';
  }
  return text;
}

std::string render_summary(const ValidationReport& report, const Words& words) {
  const auto passed =
      std::ranges::count(report.checks, CheckOutcome::pass, &ValidationCheck::outcome);
  const std::string counted = fmt::format("{}: {} of {} checks passed",
                                          report.passed() ? "PASS" : "FAIL",
                                          passed,
                                          report.checks.size());
  std::string text = fmt::format("\n{}\n", words.say(counted));
  const std::string verdict = mode_verdict(report);
  if (!verdict.empty()) {
    text += words.say(verdict) + '\n';
  }
  return text;
}

nlohmann::json to_json(const ValidationReport& report) {
  nlohmann::json object = {{"passed", report.passed()}, {"checks", nlohmann::json::array()}};
  for (const ValidationCheck& check : report.checks) {
    object["checks"].push_back({{"number", check.number},
                                {"name", check.name},
                                {"outcome", word(check.outcome)},
                                {"findings", check.findings},
                                {"figures", check.figures}});
  }
  if (report.dual) {
    object["dual"] = to_json(*report.dual);
  }
  if (report.single) {
    object["single"] = to_json(*report.single);
  }
  if (const std::string verdict = mode_verdict(report); !verdict.empty()) {
    object["verdict"] = verdict;
    object["dual_over_single"] = to_json(*report.comparison);
  }
  return object;
}

}  // namespace qanat
