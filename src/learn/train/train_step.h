// Runs updates on the model device: every phase is work submitted to one stream, with an event
// behind it, so the host runs ahead and never waits for the device in steady state.
//
//   while (auto batch = ring.next(step.stream(), stop)) {
//     step.accumulate(*batch, arrival);
//     ring.release(*std::move(batch), step.stream());
//     step.update({...});
//     while (auto done = step.finished()) { ... done->record ... }
//   }
//
// A microbatch that does not fit the device's memory is split and done again, with the same
// gradient, and the shape is remembered. All methods are for one host thread; the weights belong to
// the stream.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/message.h"
#include "device/device.h"
#include "device/host/host_device.h"
#include "metrics/journal.h"
#include "metrics/step_breakdown.h"
#include "metrics/step_record.h"
#include "replicas/process_group.h"
#include "train/fitting_rows.h"
#include "train/gradient_exchange.h"
#include "train/loss_scale.h"
#include "train/train_task.h"
#include "transfer/device_batch.h"

namespace qanat {

struct TrainStepOptions {
  Precision precision = Precision::single;
  bool check_every_operation = false;
  int microbatch_size = 0;  // rows; 0: the whole batch
  double ema_decay = 0.999;
  ProcessGroup* group = nullptr;  // not owned; absent: this process is alone
  GradientExchangeOptions exchange{};
  EventSink* journal = nullptr;  // not owned; may be absent
  // Play what can be played from recordings: see step_graphs.h.
  bool record_graphs = false;
  StepGraphOptions graphs{};
  std::function<void(const Message&)> note{};  // for the user; may be absent
};

// When the host asked for a batch and got it; what the device knows is added later.
struct HandOver {
  Clock::time_point host_busy_since;
  Clock::time_point asked;
  Clock::time_point handed;
  std::optional<Clock::time_point> met{};  // the other processes had come as far
};

struct UpdateRequest {
  std::int64_t step = 0;
  double learning_rate = 0;
  double frames = 0;  // of all processes; 0: this one is alone
};

// Whether a batch is the last one of its update: then its gradients are exchanged as they come, and
// not at the end.
enum class BatchPlace { before_others, last };

struct FinishedStep {
  StepRecord record;
  std::vector<std::uint32_t> items;  // of all batches of the update
  // A step is skipped when its first part is; of the others one may have been skipped alone.
  bool updated_all = true;
};

class TrainStep {
 public:
  // The weights of `task` were made on `stream`, which is one of `device`. All three outlive the
  // step.
  TrainStep(Device& device, DeviceStream& stream, TrainTask& task, const TrainStepOptions& options);
  TrainStep(const TrainStep&) = delete;
  TrainStep& operator=(const TrainStep&) = delete;
  // Waits for what was submitted: a few steps at most.
  ~TrainStep();

  DeviceStream& stream() { return stream_; }

  // Forward and backward of a shape without an update, the largest that will come. Returns how many
  // microbatches it takes when memory asks for more of them than the options do, else 1; throws
  // Error with the remedy when not even one row fits. Waits for the device.
  int try_shape(const BatchShape& shape);

  void accumulate(const DeviceBatch& batch,
                  const HandOver& hand_over,
                  BatchPlace place = BatchPlace::before_others);
  void update(const UpdateRequest& request);
  // Work for a checkpoint; its time is booked there.
  void submit_checkpoint_work(std::function<void()> work);
  // Excludes what the stream did since the last update from the time of the next step.
  void exclude_from_next_step();

  // The oldest update that is done and was not returned yet; nothing when none is.
  std::optional<FinishedStep> finished();
  // The same, waiting for it; nothing when all were returned.
  std::optional<FinishedStep> wait_finished();

 private:
  struct Pending;
  struct Microbatch;

  // `work`, which in a run of several processes tells the others why it fails.
  std::function<void()> told_when_failing(std::function<void()> work) const;
  void submit(std::function<void()> work);
  void submit_microbatch(const std::shared_ptr<Microbatch>& microbatch);
  void submit_phases(const std::shared_ptr<Microbatch>& microbatch);
  // A phase and the next one: on the host's devices side by side, on a second stream.
  void submit_pair(const std::shared_ptr<Microbatch>& microbatch, std::size_t phase);
  // The work of an update, on the stream.
  void apply_update(const UpdateRequest& request, double divisor, const torch::Tensor& numbers);
  torch::Tensor update_part(std::size_t part, const UpdateRequest& request, double divisor);
  // Sums gradient and losses over all processes; `frames` are those of this one.
  void exchange(double frames, double all_frames, const std::shared_ptr<StepExchange>& cost);
  bool is_shared() const { return options_.group != nullptr && options_.group->rank().world > 1; }
  bool has_memory_twice() const;
  std::optional<Clock::time_point> launched_now() const;
  void mark(StepPhase phase);
  std::unique_ptr<DeviceEvent> record_event();
  GradientOptions gradient_options() const;
  std::optional<FinishedStep> settle(Pending& pending);

  Device& device_;
  DeviceStream& stream_;
  TrainTask& task_;
  const TrainStepOptions options_;
  std::shared_ptr<FittingRows> fitting_;    // shared with submitted work
  torch::Tensor sums_;                      // f32 [num_sums()], since the last update; the stream's
  std::optional<LossScale> loss_scale_;     // fp16 only; the stream's
  std::unique_ptr<GradientPlayer> player_;  // the stream's; null: all is computed
  std::deque<GradientExchange> exchanges_;  // of the parts; the stream's; none: it is alone
  std::shared_ptr<BlockPool> host_numbers_;  // shared with updates that are not done
  std::unique_ptr<Pending> current_;         // what has been submitted since the last update
  std::deque<std::unique_ptr<Pending>> pending_;
  std::optional<Clock::time_point> last_end_;
  std::unique_ptr<HostDevice> side_device_;  // for phases beside others
  std::unique_ptr<DeviceStream> side_stream_;
};

}  // namespace qanat
