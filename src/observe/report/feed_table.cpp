#include "report/feed_table.h"

#include <algorithm>
#include <array>

#include "diagnose/turn_comparison.h"
#include "locale/messages/demo.h"
#include "metrics/order_statistics.h"
#include "page/svg_plot.h"
#include "report/profile_parts.h"
#include "report/run_json.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

double median_of(const FeedRow& row, double FeedTurn::*figure) {
  std::vector<double> values;
  for (const FeedTurn& turn : row.turns) {
    values.push_back(turn.*figure);
  }
  return median(values);
}

Message feed_comparison(const FeedRow& row, const FeedRow& first) {
  const RunComparison seen = compare_feeds(row, first);
  if (seen.withheld) {
    return msg::demo_no_ratio{.mode = row.name, .why = *seen.withheld};
  }
  return msg::feed_ratio{
      .mode = row.name, .ratio = ratio_interval(seen.ratio, seen.ci95), .first = first.name};
}

// What is said below a table: what was skipped, and how the others compare with the first.
std::vector<MessageArg> feed_remarks(const FeedPart& part) {
  std::vector<MessageArg> remarks;
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const FeedRow& row = part.rows[i];
    if (row.skipped) {
      remarks.emplace_back(msg::feed_skipped{.mode = row.name, .why = *row.skipped});
    } else if (i > 0 && !row.turns.empty() && !part.rows[0].turns.empty()) {
      remarks.emplace_back(feed_comparison(row, part.rows[0]));
    }
  }
  return remarks;
}

Json turns_json(const FeedRow& row) {
  Json turns = Json::array();
  for (const FeedTurn& turn : row.turns) {
    turns.push_back({{"steps_per_s", turn.steps_per_s},
                     {"wait_share", turn.wait_share},
                     {"readiness", turn.readiness},
                     {"cores", turn.cores},
                     {"others_share", or_null(turn.others_share)}});
  }
  return turns;
}

Row feed_row(const FeedRow& row, const FeedPart& part, Seconds step) {
  const std::optional<FeedTurn> turn = typical_turn(row);
  const auto shown = [&](auto to_value) { return turn ? Value(to_value(*turn)) : Value(); };
  const bool is_compared = turn && &row != part.rows.data();
  return {
      .cells = {row.name,
                figure_of(row.flags),
                figure_of(row.skipped ? Json(Translator().said(*row.skipped)) : Json()),
                figure_of(turns_json(row)),
                shown([](const FeedTurn& t) { return plain(t.steps_per_s, 1); }),
                shown([&](const FeedTurn& t) { return in_percent(t.steps_per_s * step.count()); }),
                shown([](const FeedTurn& t) { return in_percent(t.wait_share, 1); }),
                shown([](const FeedTurn& t) { return in_percent(t.readiness); }),
                shown([](const FeedTurn& t) { return plain(t.cores, 2); }),
                figure_of(is_compared ? to_json(compare_feeds(row, part.rows[0])) : Json())},
      .code = row.flags};
}

Section part_section(const FeedPart& part, Seconds step) {
  const bool is_slow = part.delay > Seconds{0};
  Table table{.key = "modes",
              .columns = {{.key = "mode", .name = msg::modes_mode{}, .kind = CellKind::text},
                          {.key = "flags"},
                          {.key = "skipped"},
                          {.key = "turns"},
                          {.key = "steps_per_s", .name = msg::modes_rate{}},
                          {.name = msg::feed_pace{}},
                          {.key = "wait_share", .name = msg::modes_wait{}},
                          {.key = "readiness", .name = msg::feed_ready{}},
                          {.key = "cores", .name = msg::feed_cores{}},
                          {.key = "over_first"}}};
  for (const FeedRow& row : part.rows) {
    table.rows.push_back(feed_row(row, part, step));
  }
  return {
      .key = is_slow ? "feed-slow" : "feed-warm",
      .title = is_slow ? Message(msg::feed_slow{.delay = part.delay}) : Message(msg::feed_warm{}),
      .facts = {{.key = "delay_s", .value = figure_of(part.delay.count())}},
      .tables = {std::move(table)},
      .remarks = feed_remarks(part)};
}

constexpr std::array<std::string_view, 2> kBarStyles = {"c-bar", "c-padding"};

const std::string& chart_name(const FeedRow& row) {
  return row.chart_name.empty() ? row.name : row.chart_name;
}

// The names of the modes that were measured, in the order of the table.
std::vector<std::string> fed_modes(const FeedTable& table) {
  std::vector<std::string> names;
  for (const FeedPart& part : table.parts) {
    for (const FeedRow& row : part.rows) {
      if (!row.turns.empty() && std::ranges::find(names, chart_name(row)) == names.end()) {
        names.push_back(chart_name(row));
      }
    }
  }
  return names;
}

double fastest(const FeedTable& table) {
  double most = 1 / table.step.count();
  for (const FeedPart& part : table.parts) {
    for (const FeedRow& row : part.rows) {
      most = std::max(most, row.turns.empty() ? 0 : typical_turn(row)->steps_per_s);
    }
  }
  return most;
}

Message storage_name(const FeedPart& part) {
  return part.delay > Seconds{0} ? Message(msg::feed_slow_name{}) : Message(msg::feed_warm_name{});
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

std::optional<Figure> feed_figure(const FeedTable& table, const Translator& w) {
  const std::vector<std::string> modes = fed_modes(table);
  if (modes.empty()) {
    return std::nullopt;
  }
  const double pace = 1 / table.step.count();
  Figure figure{.id = "feed-modes",
                .title = w.tr(msg::feed_chart_title{}),
                .about = w.tr(msg::feed_chart_about{.rate = plain(pace, 1)})};
  const double rows = static_cast<double>(modes.size());
  SvgPlot plot(figure,
               {.x = {.low = 0, .high = 1.08 * fastest(table)},
                .y = {.low = -0.5, .high = rows - 0.5},
                .x_label = [&w](double value) { return w.short_number(value, 1); },
                .x_name = w.tr(msg::modes_rate{}),
                .height = 66 + 46 * rows,
                .left = 210});
  const auto row_of = [&](const std::string& name) {  // the first one stands at the top
    return static_cast<double>(modes.end() - std::ranges::find(modes, name)) - 1;
  };
  for (const std::string& name : modes) {
    plot.row_name(row_of(name), w.verbatim(name));
  }
  const double height = 0.8 / static_cast<double>(std::max<std::size_t>(1, table.parts.size()));
  for (std::size_t i = 0; i < table.parts.size(); ++i) {
    const FeedPart& part = table.parts[i];
    const std::string style(kBarStyles.at(i % kBarStyles.size()));
    figure.legend.push_back({style, w.tr(storage_name(part))});
    for (const FeedRow& row : part.rows) {
      const std::optional<FeedTurn> turn = typical_turn(row);
      if (!turn) {
        continue;
      }
      const double top = row_of(chart_name(row)) + 0.4 - static_cast<double>(i) * height;
      const std::string value = w.number(turn->steps_per_s, 1);
      plot.box({.low = 0, .high = turn->steps_per_s},
               {.low = top - 0.94 * height, .high = top},
               style,
               w.verbatim(row.name) + ": " + value);
      // Where the bar begins, in sight of narrow screens; beside a bar that is too short for it.
      const double room = 0.04 * fastest(table);
      const bool fits = turn->steps_per_s > 2 * room;
      plot.note({fits ? room : turn->steps_per_s + room, top - height / 2},
                fits ? "on-bar" : "in-cell",
                value);
    }
  }
  plot.rule(pace, "limit", w.tr(msg::feed_own_pace{}));
  figure.chart = std::move(plot).finish();
  return figure;
}

Document to_document(const FeedTable& table) {
  Document document;
  document.sections.push_back(
      {.key = "feed",
       .title = msg::feed_title{},
       .facts = {{.key = "step_s", .value = figure_of(table.step.count())},
                 {.key = "batch", .value = figure_of(table.batch)}},
       .remarks = {msg::feed_device{.step = table.step, .batch = table.batch}},
       .figures = {[table](const Translator& words) { return feed_figure(table, words); }}});
  for (const FeedPart& part : table.parts) {
    document.sections.push_back(part_section(part, table.step));
  }
  return document;
}

nlohmann::ordered_json to_json(const FeedTable& table) {
  const Document document = to_document(table);
  Json object = render_json(document.sections.front());
  object["storage"] = Json::array();
  for (std::size_t i = 1; i < document.sections.size(); ++i) {
    object["storage"].push_back(render_json(document.sections[i]));
  }
  return object;
}

std::string render_sections(const FeedTable& table, const Translator& words) {
  std::string html;
  for (const Section& section : to_document(table).sections) {
    html += render_html(section, words);
  }
  return html;
}

}  // namespace qanat
