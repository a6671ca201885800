#include "report/full_diagnosis.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "diagnose/recommendation.h"
#include "locale/messages/charts.h"
#include "locale/messages/run_report.h"
#include "report/config_changes.h"
#include "report/run_json.h"
#include "report/run_words.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

void write_issues(Out out, const std::vector<Finding>& findings, const Translator& w) {
  fmt::format_to(out, "\n  {}\n", w.tr(msg::heading_issues{}));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& finding = findings[i];
    const std::string gain =
        finding.gain.speedup > 1 ? "   " + w.tr(speedup_message(finding.gain)) : std::string();
    fmt::format_to(out,
                   "    #{:<2} {:<4} {:<7} {}{}\n",
                   i + 1,
                   to_string(finding.severity),
                   w.verbatim(finding.id),
                   w.tr(finding.title),
                   gain);
  }
}

void write_recommendations(Out out, const std::vector<Finding>& findings, const Translator& w) {
  fmt::format_to(out, "\n  {}\n", w.tr(msg::heading_recommendations{}));
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (const Fix& fix : findings[i].fixes) {
      fmt::format_to(out, "    #{:<2} {}", i + 1, fix_words(fix, w));
      if (fix.predicted_step) {
        fmt::format_to(out, "   {}", w.tr(predicted_message(*fix.predicted_step)));
      }
      fmt::format_to(out, "\n");
    }
    fmt::format_to(out, "        {} {}\n", w.tr(msg::label_verify{}), w.tr(findings[i].verify));
  }
}

void write_changes(Out out, const std::vector<Recommendation>& changes, const Translator& w) {
  fmt::format_to(out, "\n  {}\n", w.tr(msg::heading_changes{}));
  if (changes.empty()) {
    fmt::format_to(out, "    {}\n", w.tr(msg::diagnosis_no_changes{}));
    return;
  }
  fmt::format_to(out,
                 "    {}  {}\n    YAML\n{}",
                 w.tr(msg::label_flags{}),
                 w.verbatim(flags_of(changes)),
                 yaml_of(changes, "      "));
}

}  // namespace

std::string render_text(const FullDiagnosis& full, const Translator& w, Detail detail) {
  const Diagnosis& diagnosis = full.diagnosis;
  std::string text;
  const Out out = std::back_inserter(text);
  for (const Section& section : full.sections) {
    text += '\n' + render_text(section, w);
  }
  fmt::format_to(out,
                 "\n{}\n{}  {}\n",
                 full.measured ? render_run(diagnosis, w, detail) : "",
                 w.tr(msg::heading_summary{}),
                 w.tr(counts_message(diagnosis)));
  if (diagnosis.findings.empty()) {
    fmt::format_to(out, "\n  {}\n", w.tr(msg::diagnosis_nothing_wrong{}));
  } else {
    write_issues(out, diagnosis.findings, w);
    write_recommendations(out, diagnosis.findings, w);
    write_changes(out, recommend(diagnosis.findings), w);
  }
  fmt::format_to(out, "\n  {}  {}\n", w.tr(msg::heading_checks{}), checks_words(diagnosis, w));
  text += detail == Detail::all ? list_checks(diagnosis, "    ", w) : "";
  return text.substr(1);  // without the empty line before the first section
}

nlohmann::ordered_json to_json(const FullDiagnosis& full) {
  nlohmann::ordered_json object = to_json(full.diagnosis);
  object["measured"] = full.measured;
  nlohmann::ordered_json sections = nlohmann::ordered_json::array();
  for (const Section& section : full.sections) {
    nlohmann::ordered_json figures = render_json(section);
    sections.push_back({{"name", section.key},
                        {"lines", english_lines(section)},
                        {"figures", figures.empty() ? nlohmann::ordered_json() : figures},
                        {"skipped", nullptr}});
    if (section.skipped) {
      sections.back()["skipped"] = Translator().said(*section.skipped);
    }
  }
  object["sections"] = std::move(sections);
  const std::vector<Recommendation> changes = recommend(full.diagnosis.findings);
  object["changes"] = {{"flags", flags_of(changes)}, {"yaml", yaml_of(changes)}};
  return object;
}

}  // namespace qanat
