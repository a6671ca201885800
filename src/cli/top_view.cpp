#include "cli/top_view.h"

#include <algorithm>
#include <array>
#include <cmath>
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

class TopLines {
 public:
  TopLines(const TopState& state, const Terminal& terminal) : state_(state), terminal_(terminal) {}

  void add(const MessageArg& name, const std::string& text) {
    constexpr std::size_t kNameColumn = 10;
    const std::string said = state_.words.said(name);
    const std::size_t columns = std::min(text_columns(said), kNameColumn - 1);
    add_plain(fmt::format("{}{:{}}{}", said, "", kNameColumn - columns, text));
  }
  void add_plain(const std::string& text) {
    lines_.push_back(cut_to_width(one_line(text), terminal_.width));
  }
  // The first part in bold. Made harmless here: the line holds sequences of our own.
  void add_strong(const std::string& strong, const std::string& rest = "") {
    const std::string first = one_line(strong);
    lines_.push_back(
        cut_to_width((terminal_.color ? "\x1b[1m" + first + "\x1b[0m" : first) + one_line(rest),
                     terminal_.width));
  }
  std::string bar(double share) const {
    const int filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kTopBarWidth));
    std::string text = "[";
    for (int i = 0; i < kTopBarWidth; ++i) {
      text += i < filled ? (terminal_.unicode ? "█" : "#") : (terminal_.unicode ? "·" : ".");
    }
    return text + "]";
  }
  std::size_t chart_width() const {
    return static_cast<std::size_t>(std::clamp(terminal_.width - 34, 10, 120));
  }
  std::vector<std::string> take() { return std::move(lines_); }
  bool unicode() const { return terminal_.unicode; }

 private:
  const TopState& state_;
  const Terminal& terminal_;
  std::vector<std::string> lines_;
};

std::string state_words(const RunSnapshot& run, const Translator& w) {
  return run.ending ? w.tr(msg::top_ended{.why = in_words(*run.ending)}) : w.tr(msg::top_running{});
}

void add_head(TopLines& lines, const TopState& state) {
  const RunSnapshot& run = state.run;
  const Translator& w = state.words;
  lines.add_strong(w.verbatim("qanat top"), "  " + w.verbatim(state.journal.string()));
  lines.add(msg::top_run{},
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
    lines.add(msg::top_step{}, w.tr(msg::top_none_yet{}));
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
  lines.add(msg::top_step{}, text);
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
  lines.add(msg::top_loss{},
            fmt::format("{:<10} {}",
                        w.number(losses.back(), 4),
                        sparkline(losses, lines.chart_width(), lines.unicode())));
  lines.add(msg::top_step_time{},
            fmt::format("{:<10} {}",
                        w.duration(Seconds(median(times))),
                        sparkline(times, lines.chart_width(), lines.unicode())));
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
  lines.add(msg::top_wait{}, fmt::format("{} {}", lines.bar(wait), w.percent(wait)));
  lines.add(msg::top_busy{},
            fmt::format("{} {}", lines.bar(busy / total), w.percent(busy / total)));
  std::string parts;
  visit_phases(std::as_const(sums), [&](std::string_view name, Seconds part) {
    const double share = part.count() / total;
    if (share >= 0.0005) {
      parts += fmt::format(
          "{}{} {}", parts.empty() ? "" : "  ", w.said(in_words(name)), w.percent(share));
    }
  });
  lines.add(msg::top_breakdown{}, parts);
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
    lines.add(msg::top_rank{.rank = rank.rank},
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
    lines.add(msg::top_ready{},
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
      lines.add(w.said(in_words(device.role)), text + "  " + w.verbatim(device.name));
    }
  }
  if (const auto& ring = state.run.ring) {
    lines.add(msg::top_ring{},
              w.tr(msg::top_ring_is{.slots = ring->slots, .batches = ring->batches}));
  }
}

void add_verdict(TopLines& lines, const TopState& state) {
  const Translator& w = state.words;
  lines.add_plain("");
  lines.add_strong(render_verdict(state.diagnosis, w));
  const std::vector<Finding>& findings = state.diagnosis.findings;
  for (std::size_t i = 0; i < std::min(findings.size(), kShownFindings); ++i) {
    std::string text = fmt::format("#{}  {} {}",
                                   w.count(static_cast<std::int64_t>(i + 1)),
                                   w.verbatim(findings[i].id),
                                   w.tr(findings[i].title));
    lines.add_plain(text);
    for (const Fix& fix : findings[i].fixes) {
      lines.add_plain(fmt::format(
          "    {}  {}  {}",
          w.tr(msg::label_fix{}),
          fix_words(fix, w),
          findings[i].gain.speedup > 1 ? w.tr(speedup_message(findings[i].gain)) : std::string()));
    }
  }
}

}  // namespace

std::string sparkline(const std::vector<double>& values, std::size_t width, bool unicode) {
  static constexpr std::array<std::string_view, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<std::string_view, 8> kPlain{".", ".", ":", "-", "=", "+", "*", "#"};
  const std::size_t first = values.size() > width ? values.size() - width : 0;
  std::vector<double> shown;
  std::copy_if(values.begin() + static_cast<std::ptrdiff_t>(first),
               values.end(),
               std::back_inserter(shown),
               [](double value) { return std::isfinite(value); });
  if (shown.empty()) {
    return {};
  }
  const auto [low, high] = std::ranges::minmax(shown);
  std::string line;
  for (const double value : shown) {
    const double share = high > low ? (value - low) / (high - low) : 0;
    const auto level = static_cast<std::size_t>(std::lround(share * 7));
    line += unicode ? kBlocks.at(level) : kPlain.at(level);
  }
  return line;
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

std::vector<std::string> render_top(const TopState& state, const Terminal& terminal) {
  TopLines lines(state, terminal);
  add_head(lines, state);
  add_problem(lines, state);
  add_pace(lines, state);
  add_series(lines, state);
  add_breakdown(lines, state);
  add_ranks(lines, state);
  add_buffers(lines, state);
  add_verdict(lines, state);
  return lines.take();
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
  return state.problem ? line + "  " + w.tr(state.problem) : line;
}

}  // namespace qanat
