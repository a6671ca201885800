#include "validation/validate_report.h"

#include <algorithm>

#include "locale/messages/validate.h"
#include "report/profile_parts.h"
#include "report/run_json.h"

namespace qanat {
namespace {

Message said_outcome(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::pass:
      return msg::validate_pass{};
    case CheckOutcome::fail:
      return msg::validate_fail{};
    case CheckOutcome::skipped:
      break;
  }
  return msg::validate_skipped{};
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

std::optional<Message> mode_verdict(const ValidationReport& report) {
  if (!report.comparison) {
    return std::nullopt;
  }
  const RunComparison& seen = *report.comparison;
  if (seen.withheld) {
    return msg::validate_undecided{.why = *seen.withheld};
  }
  const Message ratio = ratio_interval(seen.ratio, seen.ci95);
  switch (seen.change) {
    case Change::faster:
      return msg::validate_dual_faster{.ratio = ratio};
    case Change::slower:
      return msg::validate_dual_slower{.ratio = ratio};
    case Change::none:
      break;
  }
  return msg::validate_no_difference{.ratio = ratio};
}

std::optional<Message> best_use_verdict(const ValidationReport& report) {
  if (!report.comparison || !report.replicas_comparison) {
    return std::nullopt;
  }
  return describe_best_use(best_use(*report.comparison, *report.replicas_comparison),
                           *report.comparison,
                           *report.replicas_comparison);
}

std::string render_check(const ValidationCheck& check, const Translator& t) {
  return render_text(Section{.title = msg::validate_check{.number = check.number,
                                                          .name = check.name,
                                                          .outcome = said_outcome(check.outcome)},
                             .facts = check.facts},
                     t);
}

std::string render_summary(const ValidationReport& report, const Translator& t) {
  const auto passed =
      std::ranges::count(report.checks, CheckOutcome::pass, &ValidationCheck::outcome);
  std::string text = "\n";
  text += t.tr(msg::validate_summary{
      .outcome = said_outcome(report.passed() ? CheckOutcome::pass : CheckOutcome::fail),
      .passed = passed,
      .checks = report.checks.size()});
  text += '\n';
  if (const std::optional<Message> verdict = mode_verdict(report)) {
    text += t.tr(*verdict) + '\n';
  }
  if (const std::optional<Message> best = best_use_verdict(report)) {
    text += t.tr(*best) + '\n';
  }
  return text;
}

nlohmann::json to_json(const ValidationReport& report) {
  nlohmann::json object = {{"passed", report.passed()}, {"checks", nlohmann::json::array()}};
  const Translator english;
  for (const ValidationCheck& check : report.checks) {
    const Section section{.facts = check.facts};
    object["checks"].push_back({{"number", check.number},
                                {"name", english.tr(check.name)},
                                {"outcome", english.tr(said_outcome(check.outcome))},
                                {"findings", english_lines(section)},
                                {"figures", render_json(section)}});
  }
  if (report.dual) {
    object["dual"] = to_json(*report.dual);
  }
  if (report.single) {
    object["single"] = to_json(*report.single);
  }
  if (const std::optional<Message> verdict = mode_verdict(report)) {
    object["verdict"] = english.tr(*verdict);
    object["dual_over_single"] = to_json(*report.comparison);
  }
  if (report.replicas) {
    object["replicas"] = to_json(*report.replicas);
  }
  if (const std::optional<Message> best = best_use_verdict(report)) {
    object["best_use"] = english.tr(*best);
    object["replicas_over_single"] = to_json(*report.replicas_comparison);
  }
  return object;
}

}  // namespace qanat
