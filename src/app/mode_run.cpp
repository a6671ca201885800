#include "app/mode_run.h"

#include <utility>

#include "app/measured_run.h"
#include "base/error.h"
#include "base/files.h"
#include "monitor/resident_memory.h"
#include "report/run_history.h"
#include "report/run_html.h"

namespace qanat {
namespace {

void write_page(const RunRecord& record, const ModeRow& row, const ModeRunRequest& request) {
  write_text_file(request.folder / row.folder / "report.html",
                  render_html({.trace = record.trace,
                               .history = record.history,
                               .diagnosis = row.diagnosis,
                               .words = request.words}));
}

template <typename Value>
Value value_or_throw(Result<Value> result) {
  if (!result) {
    throw Error("{}", result.failure().what);
  }
  return std::move(result).value();
}

}  // namespace

std::vector<TrainingMode> compared_modes(const LoadedConfig& config) {
  TrainingMode serial{.name = "serial, unbuffered",
                      .folder = "serial",
                      .flags = {"--buffer-size 0", "--num-workers 1"},
                      .config = config};
  serial.config.values.data.pipeline_buffer_size = 0;
  serial.config.values.data.num_workers = 1;
  TrainingMode single{
      .name = "Single-GPU Buffered", .folder = "single", .flags = {}, .config = config};
  TrainingMode multi{.name = "Multi-GPU, 2 virtual",
                     .folder = "multi",
                     .flags = {"--virtual-gpus 2", "--data-gpu 0", "--model-gpu 1"},
                     .config = config};
  multi.config.values.pipeline.virtual_gpus = 2;
  multi.config.values.data.data_gpu = 0;
  multi.config.values.data.model_gpu = 1;
  return {std::move(serial), std::move(single), std::move(multi)};
}

std::optional<ModeRow> run_mode(const ModeRunRequest& request) {
  restart_peak_memory();
  std::optional<MeasuredRun> run = run_measured({.config = request.mode.config,
                                                 .steps = request.steps,
                                                 .folder = request.folder / request.mode.folder,
                                                 .progress = request.progress,
                                                 .stop = request.stop});
  const std::optional<Bytes> memory = peak_resident_memory();
  if (!run || request.stop.stop_requested()) {
    return std::nullopt;
  }
  const std::filesystem::path journal = run->summary.journal;
  const DualRun measured{.trace = std::move(run->trace),
                         .slots = value_or_throw(read_slot_trace(journal))};
  ModeRow row{.name = request.mode.name,
              .profile = profile_mode(measured),
              .diagnosis = diagnose_run(measured.trace),
              .memory = memory,
              .emulated = request.mode.config.values.pipeline.virtual_gpus > 0,
              .folder = request.mode.folder};
  write_page(value_or_throw(read_run_record(journal)), row, request);
  return row;
}

}  // namespace qanat
