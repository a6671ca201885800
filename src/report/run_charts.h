// The charts of a run's page, each a figure of its own. Nothing comes back where the run has
// nothing to show. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/run_trace.h"
#include "report/figure.h"
#include "report/run_history.h"
#include "report/words.h"

namespace qanat {

// What a page is made of; all of it outlives the view.
struct RunView {
  const RunTrace& trace;
  const RunHistory& history;
  const Diagnosis& diagnosis;
  Words words{};
};

// Steps: run_charts_steps.cpp.
std::optional<Figure> ledger_figure(const RunView& run);
std::optional<Figure> ledger_series_figure(const RunView& run);
std::optional<Figure> step_time_figure(const RunView& run);
std::optional<Figure> fold_figure(const RunView& run);

// What feeds them: run_charts_pipeline.cpp.
std::optional<Figure> queue_figure(const RunView& run);
std::optional<Figure> occupancy_figure(const RunView& run);
std::optional<Figure> workers_figure(const RunView& run);
std::optional<Figure> slots_figure(const RunView& run);

// Devices, lengths and sweep: run_charts_devices.cpp, run_charts_data.cpp.
std::vector<Figure> device_figures(const RunView& run);
std::optional<Figure> length_figure(const RunView& run);
std::optional<Figure> sweep_figure(const RunView& run);

// What is learnt: run_charts_training.cpp.
std::optional<Figure> loss_figure(const RunView& run);
std::optional<Figure> learning_rate_figure(const RunView& run);
std::optional<Figure> gradient_figure(const RunView& run);

// A line with its envelope over steps or time, for the simple ones of the above.
struct SeriesChart {
  std::string id;
  std::string title;
  std::string about;
  std::string x_name;
  std::string value_name;
  std::function<std::string(double)> x_label;
  std::function<std::string(double)> y_label;
  std::optional<double> top{};  // of the axis; absent: what the values need
  std::optional<double> limit{};
  double height = 160;
};
Figure series_figure(const SeriesChart& chart, const EnvelopeSeries& series, const Words& words);

// "1,000" or "1,000-1,009".
std::string steps_of(double first, double last, const Words& words);

}  // namespace qanat
