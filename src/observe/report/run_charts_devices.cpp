#include <fmt/format.h>

#include "locale/messages/charts.h"
#include "page/series_chart.h"
#include "report/run_charts.h"

namespace qanat {
namespace {

// The model device as the steps saw it: known even where nothing watches devices.
EnvelopeSeries busy_by_step(const RunHistory& history) {
  EnvelopeSeries busy;
  for (const Bin<StepPhases>& bin : history.phases.bins()) {
    if (bin.content.total() > Seconds{0}) {
      busy.add(bin.middle(), Envelope::of(bin.content.busy() / bin.content.total()));
    }
  }
  return busy;
}

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
                        .x = step_axis(w),
                        .value_name = w.tr(msg::chart_busy{}),
                        .y_label = percent_label(w),
                        .y = Range{.low = 0, .high = 1}},
                       busy,
                       w);
}

std::vector<DeviceFigures> device_figures(const RunView& run) {
  const Translator& w = run.words;
  const auto bytes = [&w](double value) { return w.bytes(value); };
  const auto megahertz = [&w](double value) {
    return w.number(value / 1e6, 0) + ' ' + w.tr(msg::unit_megahertz{});
  };
  std::vector<DeviceFigures> devices;
  for (const auto& [name, device] : run.history.devices) {
    DeviceFigures figures{.name = name, .strips = {}};
    const auto add = [&](const char* what,
                         const Message& title,
                         const EnvelopeSeries& series,
                         SeriesChart chart) {
      chart.id = fmt::format("device{}-{}", devices.size(), what);
      chart.title = chart.value_name = w.tr(title);
      chart.spoken = fmt::format("{} {}", figures.name, chart.title);
      chart.x = run_time_axis(run.history.last_time, w);
      chart.left = w.right_to_left() ? 96.0 : 70.0;  // units are words in Persian
      if (auto strip = strip_figure(std::move(chart), series, w)) {
        figures.strips.push_back(*std::move(strip));
      }
    };
    std::vector<PlotPoint> limit;
    if (device.limit) {
      limit.push_back({0, *device.limit});
    }
    add("busy",
        msg::chart_busy{},
        device.busy,
        {.y_label = percent_label(w), .y = Range{.low = 0, .high = 1}});
    add("memory",
        msg::chart_memory{},
        device.memory,
        {.y_label = bytes, .limit = limit, .y_ticks = Ticks::bytes});
    add("clock", msg::chart_clock{}, device.clock, {.y_label = megahertz});
    devices.push_back(std::move(figures));
  }
  std::erase_if(devices, [](const DeviceFigures& device) { return device.strips.empty(); });
  return devices;
}

}  // namespace qanat
