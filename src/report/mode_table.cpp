#include "report/mode_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "report/figure.h"
#include "report/html.h"
#include "report/profile_table.h"
#include "report/run_json.h"
#include "report/run_words.h"
#include "web/resources.h"

namespace qanat {
namespace {

constexpr std::string_view kEmulation =
    "Virtual GPUs are an emulation: the two of them share the cores that one device has alone.";
constexpr std::string_view kOnCores =
    "The model nano trains on the cores that also load: a buffer hides waiting here, it cannot "
    "free cores.";
constexpr std::size_t kColumns = 8;
using Cells = std::array<std::string, kColumns>;

constexpr std::array<std::string_view, kColumns> kHeads = {"mode",
                                                           "steps/s",
                                                           "data wait",
                                                           "model busy",
                                                           "data GPU busy",
                                                           "variation",
                                                           "memory",
                                                           "verdict"};

double steps_per_second(const RunMeasures& m) {
  return m.mean_step > 0 ? 1 / m.mean_step : 0;
}

bool is_measured(const ModeRow& row) {
  return row.diagnosis.verdict != VerdictKind::incomplete;
}

std::string share_or_dash(const std::optional<double>& share, const Words& w) {
  return share ? w.percent(*share) : "-";
}

Cells cells_of(const ModeRow& row, const Words& w) {
  const RunMeasures& m = row.profile.measures;
  return {w.say(row.name),
          w.number(steps_per_second(m), 2),
          w.percent(m.share(m.ledger.wait), 2),
          w.percent(row.profile.model_busy),
          share_or_dash(row.profile.data_busy, w),
          w.percent(m.spread.robust_cv),
          row.memory ? w.bytes(static_cast<double>(row.memory->value)) : w.say("unknown"),
          w.say(to_string(row.diagnosis.verdict))};
}

// "Multi-GPU: 1.20x the speech per second of serial [1.18, 1.22]"
std::string against_first(const ModeRow& row, const ModeRow& first) {
  const RunComparison c = compare_turns(row.turns, first.turns);
  if (!c.withheld.empty()) {
    return fmt::format("{}: no ratio: {}", row.name, c.withheld);
  }
  return fmt::format("{}: {:.2f}x the speech per second of {} [{:.2f}, {:.2f}]{}",
                     row.name,
                     c.ratio,
                     first.name,
                     c.ci95.low,
                     c.ci95.high,
                     c.change == Change::none ? ", no difference beyond the noise" : "");
}

std::vector<std::string> comparisons(std::span<const ModeRow> rows) {
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (is_measured(rows[0]) && is_measured(rows[i])) {
      lines.push_back(against_first(rows[i], rows[0]));
    }
  }
  return lines;
}

bool any_emulated(std::span<const ModeRow> rows) {
  return std::ranges::any_of(rows, &ModeRow::emulated);
}

void write_line(std::string& text, const Cells& cells) {
  fmt::format_to(std::back_inserter(text),
                 "{:<22}{:>8}{:>11}{:>12}{:>15}{:>11}{:>10}   {}\n",
                 cells[0],
                 cells[1],
                 cells[2],
                 cells[3],
                 cells[4],
                 cells[5],
                 cells[6],
                 cells[7]);
}

std::string table_html(std::span<const ModeRow> rows, const Words& w) {
  std::string html = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (std::size_t i = 0; i < kColumns; ++i) {
    const bool is_number = i > 0 && i + 1 < kColumns;
    html += fmt::format("<th scope=\"col\"{}>{}</th>",
                        is_number ? " class=\"number\"" : "",
                        html_escaped(w.say(kHeads[i])));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const ModeRow& row : rows) {
    const Cells cells = cells_of(row, w);
    html += fmt::format("<tr><th scope=\"row\"><a href=\"{}\">{}</a></th>",
                        html_escaped((row.folder / "report.html").generic_string()),
                        html_escaped(cells[0]));
    for (std::size_t i = 1; i + 1 < kColumns; ++i) {
      html += fmt::format("<td class=\"number\"><bdi>{}</bdi></td>", html_escaped(cells[i]));
    }
    html += fmt::format("<td>{}</td></tr>\n", html_escaped(cells[kColumns - 1]));
  }
  return html + "</tbody></table></div>\n";
}

std::string verdicts_html(std::span<const ModeRow> rows, const Words& w) {
  std::string html = "<dl>\n";
  for (const ModeRow& row : rows) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n",
                        html_escaped(w.say(row.name)),
                        html_escaped(w.say(row.diagnosis.why)));
  }
  return html + "</dl>\n";
}

std::string comparisons_html(std::span<const ModeRow> rows, const Words& w) {
  std::string html;
  for (const std::string& line : comparisons(rows)) {
    html += fmt::format("<p>{}</p>\n", html_escaped(w.say(line)));
  }
  if (any_emulated(rows)) {
    html += fmt::format("<p>{}</p>\n", html_escaped(w.say(kEmulation)));
  }
  return html;
}

nlohmann::ordered_json mode_row_json(const ModeRow& row, const ModeRow& first) {
  const RunMeasures& m = row.profile.measures;
  nlohmann::ordered_json object{{"mode", row.name},
                                {"steps", m.steady.size()},
                                {"steps_per_s", steps_per_second(m)},
                                {"frames_per_s", m.frames_per_second},
                                {"wait_share", m.share(m.ledger.wait)},
                                {"model_busy", row.profile.model_busy},
                                {"data_busy", nullptr},
                                {"variation", m.spread.robust_cv},
                                {"memory_bytes", nullptr},
                                {"emulated", row.emulated},
                                {"verdict", to_string(row.diagnosis.verdict)},
                                {"why", row.diagnosis.why},
                                {"folder", row.folder.string()}};
  if (row.profile.data_busy) {
    object["data_busy"] = *row.profile.data_busy;
  }
  if (row.memory) {
    object["memory_bytes"] = row.memory->value;
  }
  object["over_first"] =
      &row == &first ? nlohmann::ordered_json() : to_json(compare_turns(row.turns, first.turns));
  return object;
}

}  // namespace

std::string render_text(std::span<const ModeRow> rows) {
  const Words w;
  std::string text;
  text += std::string(kOnCores) + "\n\n";
  Cells heads;
  std::ranges::copy(kHeads, heads.begin());
  write_line(text, heads);
  for (const ModeRow& row : rows) {
    write_line(text, cells_of(row, w));
  }
  text += '\n';
  for (const ModeRow& row : rows) {
    fmt::format_to(std::back_inserter(text), "{:<22} {}\n", row.name + ":", row.diagnosis.why);
  }
  text += '\n';
  for (const std::string& line : comparisons(rows)) {
    text += line + '\n';
  }
  if (any_emulated(rows)) {
    text += std::string(kEmulation) + '\n';
  }
  return text;
}

nlohmann::ordered_json to_json(std::span<const ModeRow> rows) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const ModeRow& row : rows) {
    array.push_back(mode_row_json(row, rows[0]));
  }
  return array;
}

std::string render_html(std::span<const ModeRow> rows, const std::string& before, const Words& w) {
  const std::string title = w.say("Qanat in every mode");
  std::string body = fmt::format("<header><h1>{}</h1></header>\n<main>\n", html_escaped(title));
  body += before;
  body += render_section(
      {"modes",
       w.say("A small model, trained on this machine's cores"),
       fmt::format("<p>{}</p>\n", html_escaped(w.say(kOnCores))) + table_html(rows, w)});
  body += render_section({"verdicts", w.say("The verdict of each"), verdicts_html(rows, w)});
  body += render_section({"comparison", w.say("Against the first"), comparisons_html(rows, w)});
  body +=
      fmt::format("</main>\n<footer>{}</footer>\n",
                  html_escaped(w.say(
                      "Variation is that of steps of equal work. Each mode has a page of its own: "
                      "follow its name.")));
  return render_page({.language = w.language(),
                      .title = title,
                      .style = std::string(kPageCss) + std::string(kReportCss) +
                               "a { color: var(--note); }\nth code { white-space: normal; }\n",
                      .body = std::move(body)});
}

}  // namespace qanat
