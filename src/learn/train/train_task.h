// A task: what the trainer trains. Networks, the phases of a step, named losses, validation, and
// what a checkpoint holds of it. Trainer, ring, checkpoints and journal know this interface and
// nothing of the network behind it. The speech model is one (speech_task.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "base/message.h"
#include "checkpoint/checkpoint.h"
#include "device/device.h"
#include "metrics/journal.h"
#include "metrics/step_breakdown.h"
#include "metrics/step_record.h"
#include "metrics/validation_result.h"
#include "train/batch_tensors.h"
#include "train/precision.h"
#include "train/trained_weights.h"
#include "transfer/device_batch.h"

namespace qanat {

class GradientExchange;
class ProcessGroup;

struct GradientOptions {
  Precision precision = Precision::single;
  torch::Tensor loss_scale{};  // f32 []; undefined: gradients are as they are
  bool check_every_operation = false;
  // Set for the last microbatch of an update that several processes make; not owned. It sums the
  // gradient of the first part while that is computed, if the task lets it.
  GradientExchange* exchange = nullptr;
};

// What is done with every microbatch, in this order.
struct TaskPhase {
  std::optional<StepPhase> ends{};  // the part of the step's time that is over with it
  // Runs at the same time as the next one, on another thread, where the device's cores allow it.
  bool beside_next = false;
};

// The gradient of some rows of a batch. No phase waits for the device. Nothing is added to the
// gradients of the task before the last phase has succeeded, so a microbatch that runs out of
// memory anywhere can be dropped, split and done again.
class TaskGradient {
 public:
  virtual ~TaskGradient() = default;

  // The last phase adds to `sums`, f32 [num_sums()]; with an undefined one nothing is added: a
  // trial.
  virtual void run_phase(std::size_t phase, const torch::Tensor& sums) = 0;
};

// The rows of a batch, shared by its microbatches. Used by work of the stream.
class TaskRows {
 public:
  virtual ~TaskRows() = default;

  virtual std::unique_ptr<TaskGradient> gradient(RowRange rows,
                                                 const GradientOptions& options) const = 0;
};

// Plays gradients from recordings (step_graphs.h). Belongs to the stream.
class GradientPlayer {
 public:
  virtual ~GradientPlayer() = default;

  virtual void reserve(const TaskRows& largest, RowRange rows, const GradientOptions& options) = 0;
  virtual void add(const TaskRows& batch, RowRange rows, const GradientOptions& options) = 0;
};

struct StepGraphOptions {
  int warm_ups = 2;         // times a shape is computed before it is recorded
  double tolerance = 0.02;  // of the largest gradient: bf16 sums in another order
  std::size_t most = 32;    // recordings: each keeps memory of its own
};

struct PlayerParts {
  DeviceStream& stream;
  torch::Tensor sums;  // f32 [num_sums()], shared with the step
  EventSink* journal = nullptr;
  std::function<void(const Message&)> note;  // for the user; may be absent
  StepGraphOptions options{};
};

// Weights with an optimiser of their own. In checkpoints the names of a part begin with `prefix`.
struct TaskPart {
  std::string prefix;
  TrainedWeights& weights;
};

// The weights belong to one stream; everything else is for the host's thread that trains.
class TrainTask {
 public:
  virtual ~TrainTask() = default;

  // All that updates change. The first is the one that is validated, rendered and exported.
  virtual const std::vector<TaskPart>& parts() const = 0;
  // Whether an update with this number changes that part.
  virtual bool is_trained(std::size_t /*part*/, std::int64_t /*step*/) const { return true; }

  virtual std::span<const TaskPhase> phases() const = 0;
  // How many sums over rows, each weighted with its frames, a microbatch adds to.
  virtual std::int64_t num_sums() const = 0;
  // Their names; `mean` gives each over the frames of the update.
  virtual StepLosses to_losses(const std::function<double(std::size_t)>& mean) const = 0;

  // The batches that come next belong to the update with this number.
  virtual void begin_update(std::int64_t /*step*/) {}
  virtual std::shared_ptr<const TaskRows> rows_of(const DeviceBatch& batch) const = 0;
  // Made up, as large as rows of this shape can be; on the stream.
  virtual std::shared_ptr<const TaskRows> longest_rows(const BatchShape& shape) const = 0;
  // Null: nothing of this task can be played.
  virtual std::unique_ptr<GradientPlayer> make_player(const PlayerParts& /*parts*/) {
    return nullptr;
  }

  virtual bool has_validation() const { return false; }
  // As work of `stream`; waits for it. Processes of a `group` divide the work; the result is that
  // of all. Collective then.
  virtual ValidationResult validate(DeviceStream& /*stream*/, ProcessGroup* /*group*/) {
    return {};
  }

  TrainedWeights& first() const { return parts().front().weights; }
  torch::Device device() const { return first().device(); }
};

// Everything an update changes, block by block.
std::vector<torch::Tensor> blocks_of(const TrainTask& task);

// Stores what `copy` makes of the blocks; without the state.
Checkpoint to_checkpoint(const TrainTask& task,
                         const std::function<torch::Tensor(const torch::Tensor&)>& copy);

// Puts what a checkpoint holds into a task, on the stream it belongs to. Throws Error when it is of
// another network.
void load_into(TrainTask& task, const Checkpoint& checkpoint);

}  // namespace qanat
