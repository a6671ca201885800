#include <cmath>

#include <fmt/format.h>

#include "locale/messages.h"
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
  std::function<std::string(double)> y_label;
  std::optional<Range> y{};
  std::optional<double> limit{};
  Ticks y_ticks = Ticks::decimal;
};

// The strips of one device, as far as there is anything to show.
class StripMaker {
 public:
  StripMaker(const RunView& run, std::string device, std::size_t index)
      : run_(run), device_(std::move(device)), index_(index) {}

  void add(const Strip& strip, const EnvelopeSeries& series) {
    const Translator& w = run_.words;
    if (series.bins().size() < 2) {
      return;
    }
    strips_.push_back(series_figure({.id = fmt::format("device{}-{}", index_, strip.suffix),
                                     .title = strip.title,
                                     .spoken = fmt::format("{} {}", device_, strip.title),
                                     .about = "",
                                     .x_name = w.tr(msg::chart_run_time{}),
                                     .value_name = strip.title,
                                     .x_label = time_label(run_.history.last_time, w),
                                     .y_label = strip.y_label,
                                     .y = strip.y,
                                     .limit = strip.limit,
                                     .x_ticks = Ticks::time,
                                     .y_ticks = strip.y_ticks,
                                     .most_x_labels = 4,
                                     .width = 360,
                                     .height = 130,
                                     // Units are words in Persian.
                                     .left = w.right_to_left() ? 96.0 : 70.0},
                                    series,
                                    w));
  }
  std::vector<Figure> take() { return std::move(strips_); }

 private:
  const RunView& run_;
  const std::string device_;
  const std::size_t index_;
  std::vector<Figure> strips_;
};

}  // namespace

std::optional<Figure> model_device_figure(const RunView& run) {
  const Translator& w = run.words;
  const EnvelopeSeries busy = busy_by_step(run.history);
  if (busy.bins().size() < 2) {
    return std::nullopt;
  }
  return series_figure({.id = "device-model",
                        .title = w.tr(msg::chart_model_device{}),
                        .about = w.tr(msg::chart_model_device_about{}),
                        .x_name = w.tr(msg::chart_step{}),
                        .value_name = w.tr(msg::chart_busy{}),
                        .x_label = step_label(w),
                        .y_label = [&w](double value) { return w.percent(value, 0); },
                        .y = Range{.low = 0, .high = 1}},
                       busy,
                       w);
}

std::vector<DeviceFigures> device_figures(const RunView& run) {
  const Translator& w = run.words;
  std::vector<DeviceFigures> devices;
  for (const auto& [name, device] : run.history.devices) {
    StripMaker strips(run, name, devices.size());
    strips.add({.suffix = "busy",
                .title = w.tr(msg::chart_busy{}),
                .y_label = [&w](double value) { return w.percent(value, 0); },
                .y = Range{.low = 0, .high = 1}},
               device.busy);
    strips.add({.suffix = "memory",
                .title = w.tr(msg::chart_memory{}),
                .y_label = [&w](double value) { return w.bytes(value); },
                .limit = device.limit,
                .y_ticks = Ticks::bytes},
               device.memory);
    strips.add({.suffix = "clock",
                .title = w.tr(msg::chart_clock{}),
                .y_label =
                    [&w](double value) {
                      return w.number(value / 1e6, 0) + ' ' + w.tr(msg::unit_megahertz{});
                    }},
               device.clock);
    devices.push_back({.name = name, .strips = strips.take()});
  }
  std::erase_if(devices, [](const DeviceFigures& device) { return device.strips.empty(); });
  return devices;
}

}  // namespace qanat
