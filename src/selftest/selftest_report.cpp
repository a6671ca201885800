#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "selftest/selftest.h"

namespace qanat {
namespace {

std::string in_milliseconds(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.1f}", 1e3 * *seconds) : std::string("-");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : "/") + word;
  }
  return text.empty() ? "nothing" : text;
}

std::string or_nothing(const std::string& text) {
  return text.empty() ? "nothing" : text;
}

const char* verdict_of(const SelftestReport& report) {
  if (!report.passed()) {
    return "FAILED";
  }
  return report.too_busy() ? "BUSY MACHINE" : "PASSED";
}

void write_row(std::back_insert_iterator<std::string> out, const SelftestRow& row) {
  const std::optional<double> error = row.error();
  fmt::format_to(out,
                 "{} {:<20} {:<26} {:<20} {:<8} {:>7} {:>9} {:>8} {:>6}\n",
                 row.right       ? "ok  "
                 : row.disturbed ? "BUSY"
                                 : "MISS",
                 row.fault,
                 row.strength,
                 joined(row.expected),
                 or_nothing(row.found),
                 in_milliseconds(row.step_now),
                 in_milliseconds(row.predicted),
                 in_milliseconds(row.realised),
                 error ? fmt::format("{:.1f}%", 100 * *error) : std::string("-"));
}

}  // namespace

std::string render_text(const SelftestReport& report) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "     {:<20} {:<26} {:<20} {:<8} {:>7} {:>9} {:>8} {:>6}\n",
                 "fault",
                 "strength",
                 "expected",
                 "found",
                 "step ms",
                 "predicted",
                 "realised",
                 "error");
  for (const SelftestRow& row : report.rows) {
    write_row(out, row);
  }
  fmt::format_to(out,
                 "\nSELFTEST {}\n"
                 "  faults whose cause was named first  {:>5.1f} %   expected at least 90 %\n"
                 "  healthy runs with a false alarm     {:>5.1f} %   expected at most 5 %\n",
                 verdict_of(report),
                 100 * report.right_share(),
                 100 * report.false_alarm_share());
  if (report.too_busy()) {
    fmt::format_to(
        out,
        "  runs that could not be judged       {:>5}     other programs kept the machine "
        "busy; try again when it does nothing else\n",
        std::ranges::count_if(report.rows,
                              [](const SelftestRow& row) { return !row.is_judged(); }));
  }
  if (const std::optional<double> error = report.median_error()) {
    fmt::format_to(out,
                   "  error of predicted step times       {:>5.1f} %   median; expected at most "
                   "5 %\n",
                   100 * *error);
  }
  return text;
}

nlohmann::ordered_json to_json(const SelftestReport& report) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SelftestRow& row : report.rows) {
    rows.push_back(
        {{"fault", row.fault},
         {"strength", row.strength},
         {"expected", row.expected},
         {"found",
          row.found.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(row.found)},
         {"title", row.title},
         {"right", row.right},
         {"disturbed", row.disturbed},
         {"step_seconds", row.step_now},
         {"predicted_seconds", or_null(row.predicted)},
         {"realised_seconds", or_null(row.realised)},
         {"error", or_null(row.error())}});
  }
  return {{"version", 1},
          {"passed", report.passed()},
          {"busy_machine", report.too_busy()},
          {"right_share", report.right_share()},
          {"false_alarm_share", report.false_alarm_share()},
          {"median_error", or_null(report.median_error())},
          {"runs", std::move(rows)}};
}

}  // namespace qanat
