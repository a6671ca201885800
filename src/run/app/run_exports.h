// What a run writes for other tools while it runs: TensorBoard files and a trace. Everything
// that trains hands sinks() and on_row() to the run.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "config/run_config.h"
#include "metrics/journal.h"
#include "pipeline/row_source.h"
#include "telemetry/run_tracer.h"

namespace qanat {

class TensorBoardSink;
class TraceSink;

struct RunExportOptions {
  std::optional<std::filesystem::path> tensorboard;  // folder
  std::optional<std::filesystem::path> trace;        // file
  TraceOptions trace_options{};
};

// Where a run's TensorBoard files go; nothing when none are wanted.
std::optional<std::filesystem::path> tensorboard_folder(const TrainingConfig& config);

// For one thread; what sinks() and on_row() return may be called from any. Outlives the run.
class RunExports {
 public:
  // `say` gets lines for people. Throws Error when a folder cannot be written; where that may pass
  // the file is left out, and that is said.
  RunExports(const RunExportOptions& options, std::function<void(const MessageArg&)> say);
  RunExports(const RunExports&) = delete;
  RunExports& operator=(const RunExports&) = delete;
  // finish(), and what goes wrong then is said: also a run that failed leaves its trace.
  ~RunExports();

  std::vector<EventSink*> sinks() const;
  RowFn on_row() const;

  // Writes what is left and says where it is. Throws Error when the trace cannot be written.
  void finish();

 private:
  void start_tensorboard(const std::filesystem::path& folder);

  const RunExportOptions options_;
  const std::function<void(const MessageArg&)> say_;
  std::unique_ptr<TensorBoardSink> tensorboard_;
  std::unique_ptr<TraceSink> trace_;
};

}  // namespace qanat
