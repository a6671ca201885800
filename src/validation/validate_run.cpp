#include "validation/validate_run.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "experiment/experiment.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"
#include "torch_binding/torch_device.h"
#include "train/speech_task.h"
#include "train/train_step.h"
#include "train/trained_model.h"

namespace qanat {
namespace {

constexpr double kLearningRate = 1e-3;
constexpr BatchShape kSilence{.rows = 2, .frames = 64, .tokens = 16};

// A model on a stream of the model device.
class Trial {
 public:
  Trial(Device& device, const ModelShape& shape)
      : stream_(device.make_stream("train")),
        model_(make_model(device, shape)),
        task_(std::make_unique<SpeechTask>(*model_)) {
    step_ = std::make_unique<TrainStep>(device, *stream_, *task_, TrainStepOptions{});
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    step_.reset();
    stream_.reset();  // ends what runs; only then may the model go
  }

  TrainStep& step() { return *step_; }
  DeviceStream& stream() { return *stream_; }
  std::int64_t parameters() const { return model_->weights.numel(); }

 private:
  std::unique_ptr<TrainedModel> make_model(const Device& device, const ModelShape& shape) {
    std::unique_ptr<TrainedModel> model;
    stream_->submit([&] {
      model = std::make_unique<TrainedModel>(
          make_trained_model(shape, {}, /*seed=*/1, torch_device(device)));
    });
    stream_->synchronise();
    return model;
  }

  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<TrainedModel> model_;
  std::unique_ptr<SpeechTask> task_;
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
  ModelConsumer(DevicePipeline& pipeline, const ModelShape& shape)
      : pipeline_(pipeline), trial_(pipeline.model_device(), shape) {}

  std::optional<Delivery> take(const std::stop_token& stop) override {
    HandOver hand_over{.host_busy_since = Clock::now(), .asked = Clock::now(), .handed = {}};
    std::optional<DeviceBatch> batch = pipeline_.ring().next(trial_.stream(), stop);
    hand_over.handed = Clock::now();
    if (!batch) {
      return std::nullopt;
    }
    const BatchShape shape = batch->layout.shape;
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
  LoaderRequest loader{.set = request.loader.set, .text = request.loader.text};
  DevicePipeline pipeline(devices,
                          {.config = request.config, .plan = plan, .loader = std::move(loader)});
  ModelConsumer model(pipeline, request.shape);
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

PlacementFigures try_model(RunDevices& devices, const ModelShape& shape) {
  const auto data_used = [&] {
    return devices.data ? devices.data->memory().use().used : Bytes{0};
  };
  const Bytes data_before = data_used();
  const Bytes model_before = devices.model->memory().use().used;
  const Seconds busy_before = devices.model->stats().busy;
  Trial trial(*devices.model, shape);
  (void)trial.step().try_shape(kSilence);
  return {.model_used = devices.model->memory().use().used - model_before,
          .data_used = data_used() - data_before,
          .model_busy = devices.model->stats().busy - busy_before,
          .parameters = trial.parameters()};
}

}  // namespace qanat
