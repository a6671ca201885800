// The charts of a run's page, each a figure of its own. Nothing comes back where the run has
// nothing to show. Pure functions.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/run_summary.h"
#include "history/run_history.h"
#include "locale/translator.h"
#include "page/figure.h"

namespace qanat {

// Where a page finds the files of its run: in front of a path inside the run's folder, and behind.
struct RunFiles {
  std::string prefix;  // "../run/"; as it stands in a URL
  std::string query{};
};
// For a page on disk.
RunFiles files_beside(const std::filesystem::path& journal, const std::filesystem::path& page);

// What a page is made of; all of it outlives the view.
struct RunView {
  const RunSummary& summary;
  const RunHistory& history;
  const Diagnosis& diagnosis;
  Translator words{};
  std::optional<RunFiles> files{};  // absent: the page links to none
};

// Steps: run_charts_steps.cpp.
std::optional<Figure> breakdown_figure(const RunView& run);
std::optional<Figure> breakdown_series_figure(const RunView& run);
std::optional<Figure> step_time_figure(const RunView& run);
std::optional<Figure> fold_figure(const RunView& run);

// What feeds them: run_charts_pipeline.cpp.
std::optional<Figure> queue_figure(const RunView& run);
std::optional<Figure> occupancy_figure(const RunView& run);
std::optional<Figure> workers_figure(const RunView& run);
std::optional<Figure> slots_figure(const RunView& run);

// Devices, lengths and sweep: run_charts_devices.cpp, run_charts_data.cpp.
std::optional<Figure> model_device_figure(const RunView& run);
struct DeviceFigures {
  std::string name;
  std::vector<Figure> strips;  // busy, memory, clock: narrow ones, to stand side by side
};
std::vector<DeviceFigures> device_figures(const RunView& run);
std::optional<Figure> length_figure(const RunView& run);
std::optional<Figure> sweep_figure(const RunView& run);

// What is learnt: run_charts_training.cpp.
std::optional<Figure> loss_figure(const RunView& run);
std::optional<Figure> score_figure(const RunView& run);     // of validations: what decides
std::vector<Figure> loss_part_figures(const RunView& run);  // strips; those the model has
std::optional<Figure> learning_rate_figure(const RunView& run);
std::optional<Figure> gradient_figure(const RunView& run);

// What it sounds and looks like: run_renders.cpp. HTML, escaped; empty where nothing was rendered
// or the page links to no files.
std::string renders_html(const RunView& run);

}  // namespace qanat
