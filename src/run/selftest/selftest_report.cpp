#include <algorithm>

#include "locale/messages/selftest.h"
#include "report/profile_parts.h"
#include "report/run_json.h"
#include "selftest/selftest.h"

namespace qanat {
namespace {

MessageArg or_nothing(const std::string& text) {
  return text.empty() ? MessageArg(msg::selftest_nothing{}) : MessageArg(text);
}

MessageArg joined_rules(const std::vector<std::string>& rules) {
  std::string text;
  for (const std::string& rule : rules) {
    text += (text.empty() ? "" : "/") + rule;
  }
  return or_nothing(text);
}

Message outcome_of(const SelftestRow& row) {
  if (row.right) {
    return msg::selftest_ok{};
  }
  return row.disturbed ? Message(msg::selftest_busy{}) : Message(msg::selftest_miss{});
}

Row selftest_row(const SelftestRow& row) {
  const std::optional<double> error = row.error();
  return {
      .cells = {Value(outcome_of(row)),
                row.fault,
                row.strength,
                {joined_rules(row.expected), row.expected},
                {or_nothing(row.found),
                 row.found.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(row.found)},
                figure_of(row.title),
                figure_of(row.right),
                figure_of(row.disturbed),
                in_milliseconds(row.step_now),
                in_milliseconds(row.predicted),
                in_milliseconds(row.realised),
                error ? Value(in_percent(*error, 1)) : Value()}};
}

Section runs_section(const SelftestReport& report) {
  const auto words = [](const char* key, Message name) {
    return Column{.key = key, .name = std::move(name), .kind = CellKind::text};
  };
  Table table{.key = "runs",
              .columns = {words("", msg::selftest_judged{}),
                          words("fault", msg::selftest_fault{}),
                          words("strength", msg::selftest_strength{}),
                          words("expected", msg::selftest_expected{}),
                          words("found", msg::selftest_found{}),
                          {.key = "title"},
                          {.key = "right"},
                          {.key = "disturbed"},
                          {.key = "step_seconds", .name = msg::selftest_step{}},
                          {.key = "predicted_seconds", .name = msg::selftest_predicted{}},
                          {.key = "realised_seconds", .name = msg::selftest_realised{}},
                          {.key = "error", .name = msg::selftest_error{}}}};
  for (const SelftestRow& row : report.rows) {
    table.rows.push_back(selftest_row(row));
  }
  return {.title = msg::selftest_runs{}, .tables = {std::move(table)}};
}

Section summary_section(const SelftestReport& report) {
  Section section{
      .title = !report.passed()    ? Message(msg::selftest_failed{})
               : report.too_busy() ? Message(msg::selftest_too_busy{})
                                   : Message(msg::selftest_passed{}),
      .facts = {{.key = "version", .value = figure_of(1)},
                {.key = "passed", .value = figure_of(report.passed())},
                {.key = "busy_machine", .value = figure_of(report.too_busy())},
                {.name = msg::selftest_right{},
                 .parts = {{.key = "right_share", .value = in_percent(report.right_share(), 1)},
                           {.name = msg::selftest_at_least{}, .value = in_percent(0.9)}}},
                {.name = msg::selftest_false_alarms{},
                 .parts = {{.key = "false_alarm_share",
                            .value = in_percent(report.false_alarm_share(), 1)},
                           {.name = msg::selftest_at_most{}, .value = in_percent(0.05)}}}}};
  if (report.too_busy()) {
    section.facts.push_back(
        {.name = msg::selftest_unjudged{},
         .value = msg::selftest_unjudged_why{
             .count = std::ranges::count_if(
                 report.rows, [](const SelftestRow& row) { return !row.is_judged(); })}});
  }
  const std::optional<double> error = report.median_error();
  section.facts.push_back({.key = "median_error", .value = figure_of(or_null(error))});
  if (error) {
    section.facts.push_back(
        {.name = msg::selftest_median{},
         .parts = {{.value = in_percent(*error, 1)},
                   {.name = msg::selftest_at_most{}, .value = in_percent(0.05)}}});
  }
  return section;
}

}  // namespace

Document to_document(const SelftestReport& report) {
  return {.sections = {runs_section(report), summary_section(report)}};
}

}  // namespace qanat
