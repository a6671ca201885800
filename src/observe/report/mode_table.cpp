#include "report/mode_table.h"

#include <algorithm>

#include "locale/messages/demo.h"
#include "locale/messages/full_diagnosis.h"
#include "locale/messages/profiles.h"
#include "locale/messages/units.h"
#include "page/html.h"
#include "report/profile_parts.h"
#include "report/run_json.h"
#include "web/resources.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

double steps_per_second(const RunMeasures& m) {
  return m.mean_step > 0 ? 1 / m.mean_step : 0;
}

bool is_measured(const ModeRow& row) {
  return row.diagnosis.verdict != VerdictKind::incomplete;
}

Row mode_row(const ModeRow& row, const ModeRow& first) {
  const RunMeasures& m = row.profile.measures;
  const std::optional<double>& data_busy = row.profile.data_busy;
  return {.cells = {row.name,
                    m.steady.size(),
                    plain(steps_per_second(m), 2),
                    figure_of(m.frames_per_second),
                    in_percent(m.share(m.breakdown.wait), 2),
                    in_percent(row.profile.model_busy, 1),
                    data_busy ? Value(in_percent(*data_busy, 1)) : Value(),
                    in_percent(m.spread.robust_cv, 1),
                    row.memory
                        ? Value(in_bytes(static_cast<double>(row.memory->value)), row.memory->value)
                        : Value(msg::number_unknown{}, nullptr),
                    figure_of(row.emulated),
                    {to_message(row.diagnosis.verdict), to_string(row.diagnosis.verdict)},
                    figure_of(Translator().tr(row.diagnosis.why)),
                    row.folder.string(),
                    figure_of(&row == &first ? Json()
                                             : to_json(compare_turns(row.turns, first.turns)))},
          .link = (row.folder / "report.html").generic_string()};
}

Section figures_section(std::span<const ModeRow> rows) {
  Table table{.key = "rows",
              .columns = {{.key = "mode", .name = msg::modes_mode{}, .kind = CellKind::text},
                          {.key = "steps"},
                          {.key = "steps_per_s", .name = msg::modes_rate{}},
                          {.key = "frames_per_s"},
                          {.key = "wait_share", .name = msg::modes_wait{}},
                          {.key = "model_busy", .name = msg::modes_model_busy{}},
                          {.key = "data_busy", .name = msg::modes_data_busy{}},
                          {.key = "variation", .name = msg::profile_variation{}},
                          {.key = "memory_bytes", .name = msg::host_memory{}},
                          {.key = "emulated"},
                          {.key = "verdict", .name = msg::modes_verdict{}, .kind = CellKind::text},
                          {.key = "why"},
                          {.key = "folder"},
                          {.key = "over_first"}}};
  for (const ModeRow& row : rows) {
    table.rows.push_back(mode_row(row, rows[0]));
  }
  return {.key = "modes",
          .title = msg::modes_title{},
          .tables = {std::move(table)},
          .remarks = {msg::modes_on_cores{}}};
}

// "Multi-GPU: 1.20x [1.18, 1.22] the speech per second of serial"
Message against_first(const RunComparison& seen, const ModeRow& row, const ModeRow& first) {
  if (seen.withheld) {
    return msg::demo_no_ratio{.mode = row.name, .why = *seen.withheld};
  }
  const Message ratio = ratio_interval(seen.ratio, seen.ci95);
  if (seen.change == Change::none) {
    return msg::modes_ratio_none{.mode = row.name, .ratio = ratio, .first = first.name};
  }
  return msg::modes_ratio{.mode = row.name, .ratio = ratio, .first = first.name};
}

Section verdicts_section(std::span<const ModeRow> rows) {
  Section section{.key = "verdicts", .title = msg::modes_verdicts{}};
  for (const ModeRow& row : rows) {
    section.facts.push_back({.name = row.name, .value = row.diagnosis.why});
  }
  return section;
}

Section comparison_section(std::span<const ModeRow> rows) {
  Section section{.key = "comparison", .title = msg::modes_comparison{}};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    // Why there is no ratio is said of every mode.
    const RunComparison seen = compare_turns(rows[i].turns, rows[0].turns);
    if (seen.withheld || (is_measured(rows[0]) && is_measured(rows[i]))) {
      section.remarks.emplace_back(against_first(seen, rows[i], rows[0]));
    }
  }
  if (std::ranges::any_of(rows, &ModeRow::emulated)) {
    section.remarks.emplace_back(msg::modes_emulation{});
  }
  return section;
}

}  // namespace

Document to_document(std::span<const ModeRow> rows) {
  return {.sections = {figures_section(rows), verdicts_section(rows), comparison_section(rows)}};
}

nlohmann::ordered_json to_json(std::span<const ModeRow> rows) {
  return render_json(figures_section(rows)).at("rows");
}

std::string render_html(std::span<const ModeRow> rows,
                        const std::string& before,
                        const Translator& w) {
  const std::string title = w.tr(msg::demo_title{});
  std::string body = "<header><h1>" + html_escaped(title) + "</h1></header>\n<main>\n" + before;
  for (const Section& section : to_document(rows).sections) {
    body += render_html(section, w);
  }
  body += "</main>\n<footer>" + html_escaped(w.tr(msg::demo_footer{})) + "</footer>\n";
  return render_page({.language = w.language(),
                      .title = title,
                      .style = std::string(kPageCss) + std::string(kReportCss) +
                               "a { color: var(--note); }\nth code { white-space: normal; }\n",
                      .body = std::move(body)});
}

}  // namespace qanat
