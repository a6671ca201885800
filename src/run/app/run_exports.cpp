#include "app/run_exports.h"

#include <utility>

#include <fmt/format.h>

#include "base/retry.h"
#include "locale/message_error.h"
#include "locale/messages/file_errors.h"
#include "locale/messages/training.h"
#include "telemetry/tensorboard_sink.h"
#include "telemetry/trace_sink.h"

namespace qanat {
namespace {

// Said now, and not after hours of training.
void check_writable(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw MessageError(msg::trace_no_folder{.folder = folder.string()});
  }
  if (std::filesystem::is_directory(file, error)) {
    throw MessageError(msg::trace_is_a_folder{.file = file.string()});
  }
}

}  // namespace

std::optional<std::filesystem::path> tensorboard_folder(const TrainingConfig& config) {
  if (config.tensorboard_dir) {
    return *config.tensorboard_dir;
  }
  if (config.tensorboard) {
    return std::filesystem::path(config.checkpoint_dir) / "tensorboard";
  }
  return std::nullopt;
}

RunExports::RunExports(const RunExportOptions& options, std::function<void(const MessageArg&)> say)
    : options_(options), say_(std::move(say)) {
  if (options_.trace) {
    check_writable(*options_.trace);
    trace_ = std::make_unique<TraceSink>(options_.trace_options);
  }
  if (options_.tensorboard) {
    start_tensorboard(*options_.tensorboard);
  }
}

// A folder that cannot be used is said before the run; one that is refused for the time being, or a
// full disk, is no reason not to train.
void RunExports::start_tensorboard(const std::filesystem::path& folder) {
  try {
    tensorboard_ = std::make_unique<TensorBoardSink>(folder);
  } catch (const Error& refused) {
    const int error = errno_of(refused);
    if (!may_pass(error) && !says_disk_full(error)) {
      throw;
    }
    say_(msg::file_left_out{.reason = reason_of(refused)});
    return;
  }
  say_(msg::train_tensorboard{.folder = folder.string()});
}

RunExports::~RunExports() {
  try {
    finish();
  } catch (const std::exception& error) {
    say_(reason_of(error));
  }
}

std::vector<EventSink*> RunExports::sinks() const {
  std::vector<EventSink*> sinks;
  if (tensorboard_) {
    sinks.push_back(tensorboard_.get());
  }
  if (trace_) {
    sinks.push_back(trace_.get());
  }
  return sinks;
}

RowFn RunExports::on_row() const {
  if (!trace_) {
    return nullptr;
  }
  return [trace = trace_.get()](RowSpan row) { trace->add(std::move(row)); };
}

void RunExports::finish() {
  if (const auto tensorboard = std::exchange(tensorboard_, nullptr)) {
    if (const std::optional<Message> complaint = tensorboard->finish()) {
      say_(*complaint);
    }
  }
  const auto trace = std::exchange(trace_, nullptr);
  if (!trace) {
    return;
  }
  TraceSink::Finished finished;
  try {
    finished = trace->finish(*options_.trace);
  } catch (const Error& refused) {  // the run does not need the file
    say_(msg::file_left_out{.reason = reason_of(refused)});
    return;
  }
  const Message steps = msg::train_trace_steps{.count = finished.steps};
  say_(msg::train_trace{
      .file = options_.trace->string(),
      .steps = finished.left_out > 0 ? Message(msg::train_trace_cut{.steps = steps}) : steps});
  if (finished.complaint) {
    say_(*finished.complaint);
  }
}

}  // namespace qanat
