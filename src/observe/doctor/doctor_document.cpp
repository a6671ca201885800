#include "doctor/doctor_document.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "locale/messages/doctor.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

std::vector<const ClipFinding*> findings_of(const DoctorReport& report, DoctorRuleKind kind) {
  std::vector<const ClipFinding*> findings;
  for (const ClipFinding& finding : report.findings) {
    if (finding.rule == kind) {
      findings.push_back(&finding);
    }
  }
  return findings;
}

std::int64_t count_of(const DoctorReport& report, ViewAction action) {
  std::vector<std::uint32_t> items;
  for (const ClipFinding& finding : report.findings) {
    if (finding.action == action) {
      items.push_back(finding.item);
    }
  }
  std::ranges::sort(items);
  return std::unique(items.begin(), items.end()) - items.begin();
}

Message verdict_of(const DoctorReport& report) {
  if (report.findings.empty()) {
    return msg::doctor_all_good{.duration = report.all.duration};
  }
  return msg::doctor_verdict{.flagged = report.flagged,
                             .all = report.all.utterances,
                             .good = report.good.duration,
                             .duration = report.all.duration};
}

Mood mood_of(const DoctorReport& report) {
  if (report.findings.empty()) {
    return Mood::good;
  }
  return count_of(report, ViewAction::drop) > 0 ? Mood::error : Mood::warning;
}

Fact total_fact(std::string key, const Message& name, const SetTotal& total) {
  return {.key = std::move(key),
          .name = name,
          .value = {msg::doctor_total{.utterances = total.utterances, .duration = total.duration},
                    {{"utterances", total.utterances}, {"seconds", total.duration.count()}}}};
}

Json said(const std::vector<MessageArg>& messages) {
  Json list = Json::array();
  for (const MessageArg& message : messages) {
    list.push_back(Translator().said(message));
  }
  return list;
}

Section set_section(const DoctorReport& report) {
  Section section{.title = msg::doctor_title{.folder = report.manifest.root.string()},
                  .lead = verdict_of(report),
                  .mood = mood_of(report)};
  section.facts = {
      {.key = "root", .value = figure_of(report.manifest.root.string())},
      total_fact("all", msg::doctor_examined{}, report.all),
      total_fact("good", msg::doctor_good{}, report.good),
      {.key = "drop", .name = msg::doctor_drop{}, .value = count_of(report, ViewAction::drop)},
      {.key = "trim", .name = msg::doctor_trim{}, .value = count_of(report, ViewAction::trim)},
      {.key = "check", .name = msg::doctor_check{}, .value = count_of(report, ViewAction::check)},
      {.key = "rows_without_clip",
       .name = report.manifest.problems.empty() ? std::optional<MessageArg>()
                                                : MessageArg(msg::doctor_unusable_rows{}),
       .value = num_left_out(report.manifest)},
      {.key = "missing", .value = figure_of(said(report.missing))},
      {.key = "notes", .value = figure_of(said(report.notes))}};
  for (const MessageArg& missing : report.missing) {
    section.remarks.push_back(missing);
  }
  return section;
}

Message action_word(ViewAction action) {
  switch (action) {
    case ViewAction::drop:
      return msg::doctor_action_drop{};
    case ViewAction::trim:
      return msg::doctor_action_trim{};
    case ViewAction::check:
      return msg::doctor_action_check{};
  }
  return {};
}

std::vector<Column> finding_columns() {
  return {
      {.key = "id", .name = msg::doctor_clip{}, .kind = CellKind::text},
      {.key = "rule"},
      {.key = "audio"},
      {.key = "manifest"},
      {.key = "line"},
      {.key = "detail", .name = msg::doctor_evidence{}, .kind = CellKind::text},
      {.key = "action", .name = msg::doctor_in_view{}, .kind = CellKind::text},
      {.key = "strength"},
      {.key = "keep_s"},
      {.key = "text", .name = msg::doctor_text{}, .kind = CellKind::text, .on_pages_only = true}};
}

Row finding_row(const DoctorReport& report, const ClipFinding& finding) {
  const Utterance& utterance = report.manifest.utterances[finding.item];
  const Json kept =
      finding.kept ? Json{finding.kept->from.count(), finding.kept->to.count()} : Json();
  return {.cells = {utterance.id,
                    figure_of(rule_of(finding.rule).id),
                    figure_of(utterance.audio),
                    figure_of(report.manifest.sources.empty()
                                  ? std::string()
                                  : report.manifest.sources.at(utterance.source)),
                    figure_of(utterance.line),
                    finding.detail,
                    {action_word(finding.action), to_string(finding.action)},
                    figure_of(finding.strength),
                    figure_of(kept),
                    utterance.text}};
}

Section rule_section(const DoctorReport& report, DoctorRuleKind kind, std::size_t limit) {
  const std::vector<const ClipFinding*> findings = findings_of(report, kind);
  const DoctorRule& rule = rule_of(kind);
  const std::size_t shown = std::min(findings.size(), limit);
  Section section{.key = {},
                  .title = msg::doctor_rule_title{.rule = rule.id,
                                                  .title = Message{.id = rule.title, .args = {}},
                                                  .count = findings.size()},
                  .lead = Message{.id = rule.text.means, .args = {}},
                  .tables = {{.key = "findings", .columns = finding_columns()}},
                  .mood = rule.action == ViewAction::drop ? Mood::error : Mood::warning,
                  .fold = Fold::open};
  for (const ClipFinding* const finding : std::span(findings).first(shown)) {
    section.tables.front().rows.push_back(finding_row(report, *finding));
  }
  if (findings.size() > shown) {
    section.remarks.emplace_back(msg::doctor_more{.count = findings.size() - shown});
  }
  section.remarks.emplace_back(
      msg::doctor_remedy{.remedy = Message{.id = rule.text.remedy, .args = {}}});
  return section;
}

Section skipped_section(const DoctorReport& report) {
  Section section;
  Table table{.key = "skipped",
              .columns = {{.key = "rule", .name = msg::doctor_rule{}, .kind = CellKind::code},
                          {.name = msg::doctor_looks_for{}, .kind = CellKind::text},
                          {.key = "why", .name = msg::doctor_why{}, .kind = CellKind::text}}};
  for (const SkippedRule& skipped : report.skipped) {
    const DoctorRule& rule = rule_of(skipped.rule);
    table.rows.push_back(
        {.cells = {rule.id, Message{.id = rule.text.looks_for, .args = {}}, skipped.why}});
  }
  if (!table.rows.empty()) {
    section.title = msg::doctor_skipped{};
  }
  section.tables.push_back(std::move(table));
  return section;
}

Row measures_row(const DoctorReport& report, std::uint32_t item) {
  const Utterance& utterance = report.manifest.utterances[item];
  const ClipMeasures& clip = *report.measures[item];
  const std::optional<HeardWords>* const heard =
      report.heard.empty() ? nullptr : &report.heard[item];
  const bool was_heard = heard != nullptr && heard->has_value();
  return {.cells = {figure_of(utterance.id),
                    figure_of(clip.length.count()),
                    figure_of(clip.rate.value),
                    figure_of(clip.channels),
                    figure_of(clip.peak),
                    figure_of(clip.flat_share),
                    figure_of(clip.dc),
                    figure_of(clip.speech_db),
                    figure_of(clip.floor_db),
                    figure_of(clip.contrast_db),
                    figure_of(clip.leading.count()),
                    figure_of(clip.trailing.count()),
                    figure_of(clip.pause.count()),
                    figure_of(clip.first_db),
                    figure_of(clip.last_db),
                    figure_of(clip.bandwidth),
                    figure_of(clip.cliff_db),
                    figure_of(clip.quietest_db),
                    figure_of(clip.hum_db),
                    figure_of(clip.pitch ? Json(*clip.pitch) : Json()),
                    figure_of(was_heard ? Json((*heard)->text) : Json()),
                    figure_of(was_heard ? Json((*heard)->error_rate) : Json())}};
}

// For programs: every figure of every clip.
Section measures_section(const DoctorReport& report) {
  Table table{.key = "clips"};
  for (const char* const key :
       {"id",      "seconds",   "sample_rate", "channels",     "peak",      "flat_share",
        "dc",      "speech_db", "floor_db",    "contrast_db",  "leading_s", "trailing_s",
        "pause_s", "first_db",  "last_db",     "bandwidth_hz", "cliff_db",  "quietest_db",
        "hum_db",  "pitch_hz",  "heard",       "error_rate"}) {
    table.columns.push_back({.key = key});
  }
  for (std::uint32_t item = 0; item < report.measures.size(); ++item) {
    if (report.measures[item]) {
      table.rows.push_back(measures_row(report, item));
    }
  }
  Section section;
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace

Document to_document(const DoctorReport& report, std::optional<std::size_t> list_limit) {
  const std::size_t limit = list_limit.value_or(std::numeric_limits<std::size_t>::max());
  Document document{.schema = "qanat.doctor", .sections = {set_section(report)}};
  document.sections.push_back({.tables = {{.key = "findings"}}});
  for (std::size_t kind = 0; kind < kNumDoctorRules; ++kind) {
    Section section = rule_section(report, static_cast<DoctorRuleKind>(kind), limit);
    if (!section.tables.front().rows.empty()) {
      document.sections.push_back(std::move(section));
    }
  }
  document.sections.push_back(skipped_section(report));
  if (!list_limit) {
    document.sections.push_back(measures_section(report));
  }
  return document;
}

std::vector<std::string> view_comments(const DoctorReport& report, const Translator& words) {
  return {words.tr(msg::doctor_view_of{.folder = report.manifest.root.filename().string()}),
          words.tr(msg::doctor_view_drop{}),
          words.tr(msg::doctor_view_trim{}),
          words.tr(msg::doctor_view_check{}),
          words.tr(msg::doctor_view_edit{})};
}

}  // namespace qanat
