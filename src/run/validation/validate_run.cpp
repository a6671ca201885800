#include "validation/validate_run.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "experiment/experiment.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"
#include "torch_binding/torch_device.h"
#include "train/train_step.h"
#include "training/run_task.h"

namespace qanat {
namespace {

constexpr double kLearningRate = 1e-3;
constexpr BatchShape kSilence{.rows = 2, .frames = 64, .tokens = 16};

// What a run trains, on a stream of the model device. `config` and `inputs` outlive it.
class Trial {
 public:
  Trial(Device& device, const RunConfig& config, const TrainInputs& inputs)
      : run_(make_run_task(config, inputs)), stream_(device.make_stream("train")) {
    stream_->submit([&] { task_ = &run_->make(torch_device(device)); });
    stream_->synchronise();
    step_ = std::make_unique<TrainStep>(device, *stream_, *task_, TrainStepOptions{});
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    step_.reset();
    stream_.reset();  // ends what runs; only then may the networks go
  }

  TrainTask& task() { return *task_; }
  TrainStep& step() { return *step_; }
  DeviceStream& stream() { return *stream_; }

 private:
  const std::unique_ptr<RunTask> run_;
  TrainTask* task_ = nullptr;  // of run_
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<TrainStep> step_;
};

ModeRun to_run(const DevicePipelineStats& before,
               const DevicePipelineStats& after,
               Seconds wall,
               const TrialRequest& request) {
  ModeRun run{.mode = after.data ? "dual" : "single",
              .steps_per_s = request.steps / wall.count(),
              .rows_per_s = request.steps * request.config.data.batch_size / wall.count(),
              .wait_share = (after.consumer.waited - before.consumer.waited) / wall,
              .model_busy = (after.model.busy - before.model.busy) / wall,
              .data_busy = {}};
  if (after.data) {
    run.data_busy = (after.data->busy - before.data->busy) / wall;
  }
  return run;
}

// Trains on what it takes.
class ModelConsumer final : public BatchConsumer {
 public:
  ModelConsumer(DevicePipeline& pipeline, const TrialRequest& request)
      : pipeline_(pipeline), trial_(pipeline.model_device(), request.config, request.inputs) {
    (void)trial_.step().try_shape(largest_shape(pipeline.loader().edges()));
  }

  std::optional<Delivery> take(const std::stop_token& stop) override {
    HandOver hand_over{.host_busy_since = Clock::now(), .asked = Clock::now(), .handed = {}};
    std::optional<DeviceBatch> batch = pipeline_.ring().next(trial_.stream(), stop);
    hand_over.handed = Clock::now();
    if (!batch) {
      return std::nullopt;
    }
    const BatchShape shape = batch->layout.shape;
    trial_.task().begin_update(steps_);
    trial_.step().accumulate(*batch, hand_over);
    pipeline_.ring().release(*std::move(batch), trial_.stream());
    trial_.step().update({.step = steps_++, .learning_rate = kLearningRate});
    return Delivery{.wait = Seconds(hand_over.handed - hand_over.asked).count(),
                    .padded_frames = std::int64_t{shape.rows} * shape.frames,
                    .rows = shape.rows};
  }

  // Throws Error when a loss is not finite.
  void finish() override {
    while (const std::optional<FinishedStep> done = trial_.step().wait_finished()) {
      losses_.push_back(done->record.losses.total);
      if (!std::isfinite(losses_.back())) {
        throw MessageError(msg::validate_bad_loss{.loss = std::to_string(losses_.back())});
      }
    }
  }

  const std::vector<double>& losses() const { return losses_; }

 private:
  DevicePipeline& pipeline_;
  Trial trial_;
  std::int64_t steps_ = 0;
  std::vector<double> losses_;
};

}  // namespace

std::optional<ModeRun> run_trial(const TrialRequest& request) {
  const DevicePlan plan = plan_devices(request.config, find_hardware(request.config));
  RunDevices devices = make_devices(request.config, plan, read_host_facts());
  DevicePipeline pipeline(devices,
                          {.config = request.config,
                           .plan = plan,
                           .loader = {.set = request.inputs.train,
                                      .text = request.inputs.text,
                                      .speakers = request.inputs.speakers}});
  ModelConsumer model(pipeline, request);
  (void)pipeline.open_gate(request.stop);
  DevicePipelineStats before;
  const ExperimentRecord record = run_experiment({.consumer = model,
                                                  .warm_up = request.warm_up,
                                                  .steps = request.steps,
                                                  .on_warm = [&] { before = pipeline.stats(); },
                                                  .progress = request.progress,
                                                  .stop = request.stop});
  if (!record.complete) {
    return std::nullopt;
  }
  ModeRun run = to_run(before, pipeline.stats(), record.wall, request);
  run.others_share = record.others_share;
  run.device_cores = devices.cores.model_threads;
  run.first_loss = model.losses().front();
  run.last_loss = model.losses().back();
  return run;
}

CopyFigures measure_copy(Device& from, Device& to, Bytes bytes) {
  constexpr int kCopies = 8;
  const auto source = from.allocate(bytes);
  const auto target = to.allocate(bytes);
  const auto writer = from.make_stream("pattern");
  const auto stream = to.make_stream("copy");
  const auto written = from.make_event();
  CopyFigures figures;
  // Through host memory: that of a GPU only its streams can reach.
  std::vector<std::byte> sent(source->bytes().size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    sent[i] = static_cast<std::byte>(i * 131 >> 3U);
  }
  std::vector<std::byte> received(sent.size());
  writer->copy(source->bytes(), sent);
  writer->record(*written);
  stream->wait(*written);
  stream->copy(target->bytes(), source->bytes());  // the first one touches the pages
  stream->synchronise();
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kCopies; ++i) {
    stream->copy(target->bytes(), source->bytes());
  }
  stream->synchronise();
  figures.per_batch = seconds_since(begin) / kCopies;
  figures.gigabytes_per_s = static_cast<double>(bytes.value) / figures.per_batch.count() / 1e9;
  stream->copy(received, target->bytes());
  stream->synchronise();
  figures.exact = received == sent;
  return figures;
}

PlacementFigures try_model(RunDevices& devices,
                           const RunConfig& config,
                           const TrainInputs& inputs) {
  const auto data_used = [&] {
    return devices.data ? devices.data->memory().use().used : Bytes{0};
  };
  const Bytes data_before = data_used();
  const Bytes model_before = devices.model->memory().use().used;
  const Seconds busy_before = devices.model->stats().busy;
  Trial trial(*devices.model, config, inputs);
  (void)trial.step().try_shape(kSilence);
  return {.model_used = devices.model->memory().use().used - model_before,
          .data_used = data_used() - data_before,
          .model_busy = devices.model->stats().busy - busy_before,
          .parameters = trial.task().first().layout.num_parameters()};
}

}  // namespace qanat
