#include "report/feed_chart.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "locale/messages.h"
#include "report/svg_plot.h"

namespace qanat {
namespace {

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
      // At the end of the bar, inside: beside it, it would meet the line of the pace.
      const double room = 0.04 * fastest(table);
      plot.note({std::max(room, turn->steps_per_s - room), top - height / 2}, "on-bar", value);
    }
  }
  plot.rule(pace, "limit", w.tr(msg::feed_own_pace{}));
  figure.chart = std::move(plot).finish();
  return figure;
}

}  // namespace qanat
