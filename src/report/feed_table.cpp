#include "report/feed_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "diagnose/turn_comparison.h"
#include "metrics/order_statistics.h"
#include "report/feed_chart.h"
#include "report/figure.h"
#include "report/html.h"
#include "report/run_json.h"

namespace qanat {
namespace {

constexpr std::size_t kFeedColumns = 6;
using FeedCells = std::array<std::string, kFeedColumns>;
constexpr std::array<std::string_view, kFeedColumns> kFeedHeads = {
    "mode", "steps/s", "of its pace", "data wait", "batch ready", "cores"};

double median_of(const FeedRow& row, double FeedTurn::*figure) {
  std::vector<double> values;
  for (const FeedTurn& turn : row.turns) {
    values.push_back(turn.*figure);
  }
  return median(values);
}

FeedCells feed_cells(const FeedTurn& turn, const std::string& name, Seconds step, const Words& w) {
  return {w.say(name),
          w.number(turn.steps_per_s, 1),
          w.percent(turn.steps_per_s * step.count(), 0),
          w.percent(turn.wait_share),
          w.percent(turn.readiness, 0),
          w.number(turn.cores, 2)};
}

std::string about_device(const FeedTable& table) {
  return fmt::format(
      "The device is a paced virtual GPU: a step takes {:.0f} ms and no host core. Loader, ring, "
      "gate and modes are the real ones; batches of {}.",
      1e3 * table.step.count(),
      table.batch);
}

std::string storage_words(const FeedPart& part) {
  return part.delay > Seconds{0} ? fmt::format("slow storage: every file answers {:.0f} ms late",
                                               1e3 * part.delay.count())
                                 : std::string("warm files: all of them are in memory");
}

std::string feed_comparison(const FeedRow& row, const FeedRow& first) {
  const RunComparison seen = compare_feeds(row, first);
  if (!seen.withheld.empty()) {
    return fmt::format("{}: no ratio: {}", row.name, seen.withheld);
  }
  return fmt::format("{}: {:.2f}x the steps per second of {} [{:.2f}, {:.2f}]",
                     row.name,
                     seen.ratio,
                     first.name,
                     seen.ci95.low,
                     seen.ci95.high);
}

// What is said below a table: what was skipped, and how the others compare with the first.
std::vector<std::string> feed_remarks(const FeedPart& part) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const FeedRow& row = part.rows[i];
    if (!row.skipped.empty()) {
      lines.push_back(fmt::format("{}: skipped: {}", row.name, row.skipped));
    } else if (i > 0 && !row.turns.empty() && !part.rows[0].turns.empty()) {
      lines.push_back(feed_comparison(row, part.rows[0]));
    }
  }
  return lines;
}

void write_feed_line(std::string& text, const FeedCells& cells) {
  fmt::format_to(std::back_inserter(text),
                 "{:<30}{:>8}{:>13}{:>11}{:>13}{:>7}\n",
                 cells[0],
                 cells[1],
                 cells[2],
                 cells[3],
                 cells[4],
                 cells[5]);
}

std::string feed_html(const FeedTable& table, const FeedPart& part, const Words& w) {
  std::string html = fmt::format("<h3>{}</h3>\n<div class=\"scroll\"><table>\n<thead><tr>",
                                 html_escaped(w.say(storage_words(part))));
  for (std::size_t i = 0; i < kFeedColumns; ++i) {
    html += fmt::format("<th scope=\"col\"{}>{}</th>",
                        i > 0 ? " class=\"number\"" : "",
                        html_escaped(w.say(kFeedHeads[i])));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const FeedRow& row : part.rows) {
    const std::optional<FeedTurn> turn = typical_turn(row);
    if (!turn) {
      continue;
    }
    const FeedCells cells = feed_cells(*turn, row.name, table.step, w);
    html += fmt::format("<tr><th scope=\"row\">{}{}</th>",
                        html_escaped(cells[0]),
                        row.flags.empty()
                            ? std::string()
                            : "<br><code dir=\"ltr\">" + html_escaped(row.flags) + "</code>");
    for (std::size_t i = 1; i < kFeedColumns; ++i) {
      html += fmt::format("<td class=\"number\"><bdi>{}</bdi></td>", html_escaped(cells[i]));
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  for (const std::string& line : feed_remarks(part)) {
    html += fmt::format("<p>{}</p>\n", html_escaped(w.say(line)));
  }
  return html;
}

nlohmann::ordered_json feed_row_json(const FeedRow& row, const FeedPart& part) {
  nlohmann::ordered_json object{{"mode", row.name}, {"flags", row.flags}};
  object["skipped"] =
      row.skipped.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(row.skipped);
  object["turns"] = nlohmann::ordered_json::array();
  for (const FeedTurn& turn : row.turns) {
    object["turns"].push_back({{"steps_per_s", turn.steps_per_s},
                               {"wait_share", turn.wait_share},
                               {"readiness", turn.readiness},
                               {"cores", turn.cores},
                               {"others_share", nullptr}});
    if (turn.others_share) {
      object["turns"].back()["others_share"] = *turn.others_share;
    }
  }
  const std::optional<FeedTurn> typical = typical_turn(row);
  for (const auto& [name, figure] : {std::pair("steps_per_s", &FeedTurn::steps_per_s),
                                     std::pair("wait_share", &FeedTurn::wait_share),
                                     std::pair("readiness", &FeedTurn::readiness),
                                     std::pair("cores", &FeedTurn::cores)}) {
    object[name] = typical ? nlohmann::ordered_json((*typical).*figure) : nullptr;
  }
  const bool is_first = &row == part.rows.data();
  object["over_first"] =
      typical && !is_first ? to_json(compare_feeds(row, part.rows[0])) : nlohmann::ordered_json();
  return object;
}

}  // namespace

std::optional<FeedTurn> typical_turn(const FeedRow& row) {
  if (row.turns.empty()) {
    return std::nullopt;
  }
  return FeedTurn{.steps_per_s = median_of(row, &FeedTurn::steps_per_s),
                  .wait_share = median_of(row, &FeedTurn::wait_share),
                  .readiness = median_of(row, &FeedTurn::readiness),
                  .cores = median_of(row, &FeedTurn::cores)};
}

RunComparison compare_feeds(const FeedRow& row, const FeedRow& first) {
  const auto turns_of = [](const FeedRow& from) {
    std::vector<Turn> turns;
    for (const FeedTurn& turn : from.turns) {
      turns.push_back({.rate = turn.steps_per_s,
                       .idle_share = turn.wait_share,
                       .others_share = turn.others_share});
    }
    return turns;
  };
  return compare_turns(turns_of(row), turns_of(first));
}

std::string render_text(const FeedTable& table) {
  const Words w;
  std::string text = about_device(table) + '\n';
  for (const FeedPart& part : table.parts) {
    text += '\n' + storage_words(part) + '\n';
    FeedCells heads;
    std::ranges::copy(kFeedHeads, heads.begin());
    write_feed_line(text, heads);
    for (const FeedRow& row : part.rows) {
      if (const std::optional<FeedTurn> turn = typical_turn(row)) {
        write_feed_line(text, feed_cells(*turn, row.name, table.step, w));
      }
    }
    for (const std::string& line : feed_remarks(part)) {
      text += line + '\n';
    }
  }
  return text;
}

nlohmann::ordered_json to_json(const FeedTable& table) {
  nlohmann::ordered_json object{{"step_s", table.step.count()}, {"batch", table.batch}};
  object["storage"] = nlohmann::ordered_json::array();
  for (const FeedPart& part : table.parts) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const FeedRow& row : part.rows) {
      rows.push_back(feed_row_json(row, part));
    }
    object["storage"].push_back({{"delay_s", part.delay.count()}, {"modes", std::move(rows)}});
  }
  return object;
}

std::string render_sections(const FeedTable& table, const Words& w) {
  std::string html = fmt::format("<p>{}</p>\n", html_escaped(w.say(about_device(table))));
  if (const std::optional<Figure> chart = feed_figure(table, w)) {
    html += render_figure(*chart, w);
  }
  for (const FeedPart& part : table.parts) {
    html += feed_html(table, part, w);
  }
  return render_section({"feed", w.say("What each mode makes of a GPU"), html});
}

}  // namespace qanat
