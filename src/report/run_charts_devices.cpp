#include <fmt/format.h>

#include "report/run_charts.h"

namespace qanat {
namespace {

// The model device as the steps saw it: known even where nothing watches devices.
EnvelopeSeries busy_by_step(const RunHistory& history) {
  EnvelopeSeries busy;
  for (const Bin<PhaseSums>& bin : history.phases.bins()) {
    double total = 0;
    for (const double part : bin.content.values) {
      total += part;
    }
    const auto& v = bin.content.values;
    const double worked = v[2] + v[3] + v[4] + v[5] + v[6];  // as StepPhases::busy()
    if (total > 0) {
      busy.add(bin.middle(), Envelope::of(worked / total));
    }
  }
  return busy;
}

struct Strip {
  const char* suffix;
  std::string title;
  std::string value_name;
  std::function<std::string(double)> y_label;
  std::optional<double> top{};
  std::optional<double> limit{};
};

void add_strip(const Strip& strip,
               const EnvelopeSeries& series,
               const Words& w,
               std::vector<Figure>& figures) {
  if (series.bins().size() < 2) {
    return;
  }
  figures.push_back(series_figure({.id = fmt::format("device{}-{}", figures.size(), strip.suffix),
                                   .title = strip.title,
                                   .about = "",
                                   .x_name = w.say("time of the run"),
                                   .value_name = strip.value_name,
                                   .x_label = [&w](double value) { return w.tick(Seconds(value)); },
                                   .y_label = strip.y_label,
                                   .top = strip.top,
                                   .limit = strip.limit,
                                   .height = 120},
                                  series,
                                  w));
}

}  // namespace

std::vector<Figure> device_figures(const RunView& run) {
  const Words& w = run.words;
  std::vector<Figure> figures;
  const auto percent = [&w](double value) { return w.percent(value, 0); };
  const EnvelopeSeries busy = busy_by_step(run.history);
  if (busy.bins().size() >= 2) {
    figures.push_back(
        series_figure({.id = "device-model",
                       .title = w.say("The model device at work"),
                       .about = w.say("Share of each step in which it worked on the step itself."),
                       .x_name = w.say("step"),
                       .value_name = w.say("busy"),
                       .x_label = [&w](double value) { return w.count(std::llround(value)); },
                       .y_label = percent,
                       .top = 1.0,
                       .height = 120},
                      busy,
                      w));
  }
  for (const auto& [name, device] : run.history.devices) {
    const auto titled = [&](const char* what) {
      return fmt::format("{} {}", w.verbatim(name), w.say(what));
    };
    add_strip({"busy", titled("busy"), w.say("busy"), percent, 1.0}, device.busy, w, figures);
    add_strip({"memory",
               titled("memory in use"),
               w.say("memory in use"),
               [&w](double value) { return w.bytes(value); },
               std::nullopt,
               device.limit},
              device.memory,
              w,
              figures);
    add_strip({"clock",
               titled("clock"),
               w.say("clock"),
               [&w](double value) { return w.number(value / 1e6, 0) + ' ' + w.say("MHz"); }},
              device.clock,
              w,
              figures);
  }
  return figures;
}

}  // namespace qanat
