#include "cli/top_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cli/help_formatter.h"
#include "cli/terminal_text.h"
#include "history/run_history.h"
#include "locale/messages/findings_hardware.h"
#include "locale/messages/run_report.h"
#include "locale/messages/training.h"
#include "metrics/order_statistics.h"
#include "report/config_changes.h"
#include "report/known_names.h"
#include "report/run_text.h"
#include "report/run_words.h"

namespace qanat {
namespace {

constexpr int kTopBarWidth = 24;
constexpr std::size_t kShownFindings = 3;

// A line of a screen stays one, whatever a journal holds.
std::string one_line(std::string_view text) {
  std::string line = terminal_text(text);
  for (std::size_t at = line.find('\n'); at != std::string::npos; at = line.find('\n', at)) {
    line.replace(at, 1, "\\x0a");
  }
  return line;
}

// What a line is worth where there is no room for all: the least goes first.
enum class Worth { detail, buffers, machine, findings, shares, charts, essential };

class TopLines {
 public:
  TopLines(const TopState& state, const Terminal& terminal, std::size_t chart_rows)
      : state_(state), terminal_(terminal), chart_rows_(chart_rows) {}

  void add(Worth worth, const MessageArg& name, const std::string& text) {
    const std::string said = state_.words.said(name);
    const std::size_t columns = std::min(text_columns(said), kNameColumn - 1);
    put(worth, one_line(fmt::format("{}{:{}}{}", said, "", kNameColumn - columns, text)));
  }
  void add_blank() { put(Worth::detail, ""); }
  // As many lines as it takes; those after the first are indented.
  void add_wrapped(Worth worth, const std::string& text, std::size_t indent) {
    for (const std::string& line : lines_of(text, indent)) {
      put(worth, line);
    }
  }
  // Made harmless here: the lines hold sequences of our own.
  void add_strong(const std::string& strong) {
    for (const std::string& line : lines_of(strong, 0)) {
      put(Worth::essential, terminal_.color ? "\x1b[1m" + line + "\x1b[0m" : line);
    }
  }
  void add_title(const std::string& strong, const std::string& rest) {
    const std::string first = one_line(strong);
    put(Worth::essential,
        (terminal_.color ? "\x1b[1m" + first + "\x1b[0m" : first) + one_line(rest));
  }
  // With its newest value beside the chart, and below it what the chart spans.
  void add_chart(const MessageArg& name,
                 const std::string& newest,
                 const std::vector<double>& values,
                 const std::function<std::string(double)>& label) {
    const std::vector<std::string> rows =
        column_chart(values,
                     {.width = static_cast<std::size_t>(std::clamp(terminal_.width - 30, 10, 120)),
                      .height = chart_rows_,
                      .unicode = terminal_.unicode});
    const auto [low, high] = finite_range(values);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::string beside = i == 0 ? newest : "";
      if (rows.size() > 2 && i == 1) {
        beside = state_.words.tr(msg::top_highest{.value = label(high)});
      } else if (rows.size() > 2 && i + 1 == rows.size()) {
        beside = state_.words.tr(msg::top_lowest{.value = label(low)});
      }
      const std::size_t columns = std::min(text_columns(beside), kValueColumns - 1);
      add(Worth::charts,
          i == 0 ? name : MessageArg(""),
          fmt::format("{}{:{}}{}", beside, "", kValueColumns - columns, rows[i]));
    }
  }
  std::string bar(double share) const {
    const int filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kTopBarWidth));
    std::string text = "[";
    for (int i = 0; i < kTopBarWidth; ++i) {
      text += i < filled ? (terminal_.unicode ? "█" : "#") : (terminal_.unicode ? "·" : ".");
    }
    return text + "]";
  }
  std::size_t size() const { return lines_.size(); }
  // Not more than `rows`.
  std::vector<std::string> take(std::size_t rows) {
    while (lines_.size() > std::max<std::size_t>(rows, 1)) {
      const auto least = std::ranges::min_element(lines_.rbegin(), lines_.rend(), {}, &Line::worth);
      lines_.erase(std::next(least).base());
    }
    std::vector<std::string> taken;
    for (Line& line : lines_) {
      taken.push_back(std::move(line.text));
    }
    return taken;
  }

 private:
  static constexpr std::size_t kNameColumn = 10;
  static constexpr std::size_t kValueColumns = 20;
  struct Line {
    Worth worth;
    std::string text;
  };

  static std::pair<double, double> finite_range(const std::vector<double>& values) {
    std::pair range{std::numeric_limits<double>::infinity(),
                    -std::numeric_limits<double>::infinity()};
    for (const double value : values) {
      if (std::isfinite(value)) {
        range = {std::min(range.first, value), std::max(range.second, value)};
      }
    }
    return range;
  }
  void put(Worth worth, const std::string& text) {
    lines_.push_back({.worth = worth, .text = cut_to_width(text, terminal_.width)});
  }
  std::vector<std::string> lines_of(const std::string& text, std::size_t indent) const {
    const std::string whole = one_line(text);
    const auto width = static_cast<std::size_t>(std::max(terminal_.width, 1));
    if (text_columns(whole) <= width) {
      return {whole};
    }
    std::vector<std::string> lines = wrapped(whole, width > indent ? width - indent : width);
    const std::size_t begins = std::min(whole.find_first_not_of(' '), indent);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i].insert(0, i == 0 ? begins : indent, ' ');
    }
    return lines;
  }

  const TopState& state_;
  const Terminal& terminal_;
  const std::size_t chart_rows_;
  std::vector<Line> lines_;
};

std::string state_words(const RunSnapshot& run, const Translator& w) {
  return run.ending ? w.tr(msg::top_ended{.why = in_words(*run.ending)}) : w.tr(msg::top_running{});
}

void add_head(TopLines& lines, const TopState& state) {
  const RunSnapshot& run = state.run;
  const Translator& w = state.words;
  lines.add_title(w.verbatim(run.name.empty() ? "qanat top" : run.name),
                  "  " + w.verbatim(state.journal.string()));
  lines.add(Worth::essential,
            msg::top_run{},
            fmt::format("{}{}{}{}{}{}",
                        w.verbatim(run.mode.empty() ? "train" : run.mode),
                        run.model_device.empty() ? "" : ' ' + w.verbatim(run.model_device),
                        w.comma(),
                        state_words(run, w),
                        w.comma(),
                        w.clock(Seconds(std::round(run.at.count())))));
}

void add_problem(TopLines& lines, const TopState& state) {
  if (state.problem) {
    lines.add_strong(state.words.tr(state.problem));
  }
}

void add_pace(TopLines& lines, const TopState& state) {
  const RunSnapshot& run = state.run;
  const Translator& w = state.words;
  if (!run.newest) {
    lines.add(Worth::essential, msg::top_step{}, w.tr(msg::top_none_yet{}));
    return;
  }
  const auto pace = run.steps_per_second();
  std::string text = w.count(run.newest->step + 1);
  if (run.last_step) {
    text += fmt::format("/{}", w.count(*run.last_step));
  }
  text += "  " + w.tr(msg::top_epoch{.epoch = run.newest->epoch});
  if (pace) {
    text += "  " + w.tr(msg::top_pace{.rate = plain(*pace, 2)});
    if (run.last_step && !run.ending) {
      const auto left = static_cast<double>(*run.last_step - run.newest->step - 1);
      text += "  " + w.tr(msg::train_eta{.time = w.clock(Seconds(std::round(left / *pace)))});
    }
  }
  lines.add(Worth::essential, msg::top_step{}, text);
}

void add_learning(TopLines& lines, const TopState& state) {
  const Translator& w = state.words;
  if (state.run.newest) {
    lines.add(
        Worth::machine,
        msg::top_learning{},
        w.tr(msg::top_learning_is{.rate = fmt::format("{:.3g}", state.run.newest->learning_rate),
                                  .norm = plain(state.run.newest->gradient_norm, 2)}));
  }
  if (!state.record.history.validations.empty()) {
    const ValidationPoint& last = state.record.history.validations.back();
    const Quantity score = plain(last.score.value_or(last.loss.value_or(0)), 4);
    lines.add(Worth::machine,
              msg::top_validated{},
              w.tr(last.best ? Message(msg::top_validated_best{.score = score, .step = last.step})
                             : msg::top_validated_is{.score = score, .step = last.step}));
  }
}

// What the run and other programs take of the machine, as the diagnosis knows it.
void add_machine(TopLines& lines, const TopState& state) {
  const Translator& w = state.words;
  const std::optional<HostSummary>& host = state.record.summary.host;
  if (!host) {
    return;
  }
  const Reading<Neighbours> others = host->neighbours();
  const Reading<double> own = host->share(&HostCounters::process_cpu);
  if (others && own) {
    lines.add(Worth::machine,
              msg::top_cores{},
              w.tr(msg::top_cores_are{.own = plain(*own, 1),
                                      .others = plain((*others).others, 1),
                                      .cores = plain((*others).cores, 0)}));
  }
  if (host->last.free_memory) {
    lines.add(Worth::machine,
              msg::top_memory{},
              w.tr(msg::top_memory_free{.free = in_bytes(*host->last.free_memory)}));
  }
}

void add_series(TopLines& lines, const TopState& state) {
  const Translator& w = state.words;
  std::vector<double> losses;
  std::vector<double> times;
  for (const RecentStep& step : state.run.recent) {
    losses.push_back(step.loss);
    times.push_back(step.phases.total().count());
  }
  if (times.empty()) {
    return;
  }
  lines.add_chart(msg::top_loss{}, w.number(losses.back(), 4), losses, [&w](double loss) {
    return w.number(loss, 4);
  });
  lines.add_chart(
      msg::top_step_time{}, w.duration(Seconds(median(times))), times, [&w](double time) {
        return w.duration(Seconds(time));
      });
}

void add_breakdown(TopLines& lines, const TopState& state) {
  const Translator& w = state.words;
  StepPhases sums;
  double total = 0;
  double busy = 0;
  for (const RecentStep& step : state.run.recent) {
    sums += step.phases;
    total += step.phases.total().count();
    busy += step.phases.busy().count();
  }
  if (total <= 0) {
    return;
  }
  const double wait = state.run.wait_share().value_or(0);
  lines.add(Worth::shares, msg::top_wait{}, fmt::format("{} {}", lines.bar(wait), w.percent(wait)));
  lines.add(Worth::shares,
            msg::top_busy{},
            fmt::format("{} {}", lines.bar(busy / total), w.percent(busy / total)));
  std::string parts;
  visit_phases(std::as_const(sums), [&](std::string_view name, Seconds part) {
    const double share = part.count() / total;
    if (share >= 0.0005) {
      parts += fmt::format(
          "{}{} {}", parts.empty() ? "" : "  ", w.said(in_words(name)), w.percent(share));
    }
  });
  lines.add(Worth::detail, msg::top_breakdown{}, parts);
}

// Where the steps of each rank go.
void add_ranks(TopLines& lines, const TopState& state) {
  constexpr std::size_t kShownRanks = 8;
  const Translator& w = state.words;
  const std::optional<RankComparison>& ranks = state.diagnosis.measures.ranks;
  if (!ranks || !ranks->is_complete()) {
    return;
  }
  for (std::size_t i = 0; i < std::min(ranks->ranks.size(), kShownRanks); ++i) {
    const RankMeasures& rank = ranks->ranks[i];
    const double total = rank.breakdown.total().count();
    const auto share = [&](const Message& name, double seconds) {
      return w.tr(name) + ' ' + w.percent(total > 0 ? seconds / total : 0);
    };
    lines.add(Worth::machine,
              msg::top_rank{.rank = rank.rank},
              fmt::format("{}  {}  {}  {}",
                          share(msg::ranks_data{}, rank.data()),
                          share(msg::ranks_compute{}, rank.compute()),
                          share(msg::ranks_exchange{}, rank.breakdown.exchange.count()),
                          w.verbatim(rank.host)));
  }
}

void add_buffers(TopLines& lines, const TopState& state) {
  const Translator& w = state.words;
  if (const auto& pipeline = state.run.pipeline) {
    const BufferStats& ready = pipeline->ready;
    const double filled =
        ready.capacity == 0 ? 0
                            : static_cast<double>(ready.size) / static_cast<double>(ready.capacity);
    lines.add(Worth::buffers,
              msg::top_ready{},
              fmt::format("{} {}/{}  {}  {}",
                          lines.bar(filled),
                          w.count(static_cast<std::int64_t>(ready.size)),
                          w.count(static_cast<std::int64_t>(ready.capacity)),
                          w.tr(msg::top_window{.batches = pipeline->window.batches,
                                               .limit = pipeline->window.limit}),
                          w.tr(msg::top_workers{.count = pipeline->active_workers})));
    for (const DeviceUse& device : pipeline->devices) {
      const double busy = pipeline->age.count() > 0 ? device.busy / pipeline->age : 0;
      std::string text = fmt::format("{} {} {}",
                                     lines.bar(busy),
                                     w.percent(busy),
                                     w.bytes(static_cast<double>(device.memory.value)));
      if (device.memory_limit) {
        text += fmt::format("/{}", w.bytes(static_cast<double>(device.memory_limit->value)));
      }
      lines.add(
          Worth::buffers, w.said(in_words(device.role)), text + "  " + w.verbatim(device.name));
    }
  }
  if (const auto& ring = state.run.ring) {
    lines.add(Worth::detail,
              msg::top_ring{},
              w.tr(msg::top_ring_is{.slots = ring->slots, .batches = ring->batches}));
  }
}

void add_verdict(TopLines& lines, const TopState& state) {
  constexpr std::size_t kIndent = 4;
  const Translator& w = state.words;
  lines.add_blank();
  const std::vector<Finding>& findings = state.diagnosis.findings;
  const Finding* const cause = cause_of(state.diagnosis);
  if (cause != nullptr && cause == &findings.front()) {  // whose title is the reason
    const Message saved = recoverable_message(state.diagnosis);
    lines.add_strong(fmt::format("{}  {}{}{}",
                                 w.tr(msg::heading_verdict{}),
                                 w.tr(to_message(state.diagnosis.verdict)),
                                 saved ? "   " : "",
                                 w.tr(saved)));
  } else {
    lines.add_strong(render_verdict(state.diagnosis, w));
  }
  for (std::size_t i = 0; i < std::min(findings.size(), kShownFindings); ++i) {
    const Worth worth = i == 0 ? Worth::essential : Worth::findings;
    lines.add_wrapped(worth,
                      fmt::format("#{}  {} {}",
                                  w.count(static_cast<std::int64_t>(i + 1)),
                                  w.verbatim(findings[i].id),
                                  w.tr(findings[i].title)),
                      kIndent);
    for (const Fix& fix : findings[i].fixes) {
      lines.add_wrapped(
          worth,
          fmt::format("    {}  {}  {}",
                      w.tr(msg::label_fix{}),
                      fix_words(fix, w),
                      findings[i].gain.speedup > 1 ? w.tr(speedup_message(findings[i].gain)) : ""),
          2 * kIndent);
    }
  }
}

}  // namespace

std::vector<std::string> column_chart(const std::vector<double>& values, const ChartSize& size) {
  static constexpr std::array<std::string_view, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<std::string_view, 8> kPlain{".", ".", ":", "-", "=", "+", "*", "#"};
  const std::size_t first = values.size() > size.width ? values.size() - size.width : 0;
  std::vector<double> shown;
  std::copy_if(values.begin() + static_cast<std::ptrdiff_t>(first),
               values.end(),
               std::back_inserter(shown),
               [](double value) { return std::isfinite(value); });
  if (shown.empty()) {
    return {};
  }
  const auto [low, high] = std::ranges::minmax(shown);
  const auto levels = static_cast<double>(kBlocks.size() * size.height - 1);
  std::vector<std::string> rows(size.height);
  for (const double value : shown) {
    const double share = high > low ? (value - low) / (high - low) : 0;
    const std::int64_t level = std::lround(share * levels);
    for (std::size_t row = 0; row < size.height; ++row) {
      // Levels of this column that rows below have.
      const auto below = static_cast<std::int64_t>(kBlocks.size() * (size.height - 1 - row));
      const auto sign = static_cast<std::size_t>(std::clamp<std::int64_t>(level - below, 0, 7));
      rows[row] += level < below ? " " : size.unicode ? kBlocks.at(sign) : kPlain.at(sign);
    }
  }
  return rows;
}

std::string cut_to_width(const std::string& text, int width) {
  std::string cut;
  int columns = 0;
  bool in_escape = false;
  bool had_escape = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::string_view rest = std::string_view(text).substr(i);
    const bool is_isolate = rest.starts_with(kFirstStrongIsolate) || rest.starts_with(kPopIsolate);
    if (byte == 0x1b) {
      in_escape = had_escape = true;
    } else if (!in_escape && (byte & 0xC0) != 0x80 && !is_isolate && columns++ >= width) {
      return had_escape ? cut + "\x1b[0m" : cut;
    }
    cut += text[i];
    in_escape = in_escape && byte != 'm';
  }
  return cut;
}

namespace {

TopLines all_lines(const TopState& state, const Terminal& terminal, std::size_t chart_rows) {
  TopLines lines(state, terminal, chart_rows);
  add_head(lines, state);
  add_problem(lines, state);
  add_pace(lines, state);
  add_series(lines, state);
  add_learning(lines, state);
  add_breakdown(lines, state);
  add_ranks(lines, state);
  add_buffers(lines, state);
  add_machine(lines, state);
  add_verdict(lines, state);
  return lines;
}

}  // namespace

std::vector<std::string> render_top(const TopState& state,
                                    const Terminal& terminal,
                                    std::optional<int> rows) {
  constexpr std::size_t kMaxChartRows = 12;
  TopLines lines = all_lines(state, terminal, 1);
  if (!rows) {
    return lines.take(lines.size());
  }
  const auto room = static_cast<std::size_t>(std::max(*rows, 1));
  if (room < lines.size() + 2) {
    return lines.take(room);
  }
  const std::size_t more = (room - lines.size()) / 2;  // for each of two charts
  return all_lines(state, terminal, std::min(1 + more, kMaxChartRows)).take(room);
}

std::string render_top_line(const TopState& state) {
  const RunSnapshot& run = state.run;
  const Translator& w = state.words;
  std::string line = state_words(run, w);
  if (run.newest) {
    line += "  " + w.tr(msg::top_step_is{.step = run.newest->step + 1}) + "  " +
            w.tr(msg::top_loss_is{.loss = plain(run.newest->losses.total, 4)});
  }
  if (const auto pace = run.steps_per_second()) {
    line += "  " + w.tr(msg::top_pace{.rate = plain(*pace, 2)}) + "  " +
            w.tr(msg::top_wait_is{.share = in_percent(run.wait_share().value_or(0), 1)});
  }
  line += "  " + w.tr(to_message(state.diagnosis.verdict));
  if (const Finding* const cause = cause_of(state.diagnosis)) {
    line += ' ' + w.verbatim(cause->id);
  }
  return state.problem ? line + "  " + w.tr(state.problem) : line;
}

}  // namespace qanat
