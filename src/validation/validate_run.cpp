#include "validation/validate_run.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "monitor/neighbour_watch.h"
#include "torch_binding/torch_device.h"
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
      : stream_(device.make_stream("train")), model_(make_model(device, shape)) {
    step_ = std::make_unique<TrainStep>(device, *stream_, *model_, TrainStepOptions{});
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
  std::unique_ptr<TrainStep> step_;
};

struct Moment {
  Clock::time_point time;
  DevicePipelineStats stats;
};

Moment now(const DevicePipeline& pipeline) {
  return {.time = Clock::now(), .stats = pipeline.stats()};
}

ModeRun to_run(const Moment& begin, const Moment& end, const TrialRequest& request) {
  const Seconds wall = end.time - begin.time;
  const ConsumerStats& before = begin.stats.consumer;
  const ConsumerStats& after = end.stats.consumer;
  ModeRun run{.mode = end.stats.data ? "dual" : "single",
              .steps_per_s = request.steps / wall.count(),
              .rows_per_s = request.steps * request.config.data.batch_size / wall.count(),
              .wait_share = (after.waited - before.waited) / wall,
              .model_busy = (end.stats.model.busy - begin.stats.model.busy) / wall,
              .data_busy = {}};
  if (end.stats.data) {
    run.data_busy = (end.stats.data->busy - begin.stats.data->busy) / wall;
  }
  return run;
}

// Trains on one batch; false at the end of the data or when stopped.
bool train_once(DevicePipeline& pipeline, Trial& trial, std::int64_t step, std::stop_token stop) {
  HandOver hand_over{.host_busy_since = Clock::now(), .asked = Clock::now(), .handed = {}};
  std::optional<DeviceBatch> batch = pipeline.ring().next(trial.stream(), stop);
  hand_over.handed = Clock::now();
  if (!batch) {
    return false;
  }
  trial.step().accumulate(*batch, hand_over);
  pipeline.ring().release(*std::move(batch), trial.stream());
  trial.step().update({.step = step, .learning_rate = kLearningRate});
  return true;
}

std::vector<double> finish(TrainStep& step) {
  std::vector<double> losses;
  while (const std::optional<FinishedStep> done = step.wait_finished()) {
    losses.push_back(done->record.losses.total);
  }
  return losses;
}

void check_losses(const std::vector<double>& losses) {
  for (const double loss : losses) {
    if (!std::isfinite(loss)) {
      throw Error("the loss of a short run: {}; expected a finite number; try `qanat data check`",
                  loss);
    }
  }
}

}  // namespace

std::optional<ModeRun> run_trial(const TrialRequest& request) {
  const DevicePlan plan = plan_devices(request.config, find_hardware(request.config));
  RunDevices devices = make_devices(request.config, plan, read_host_facts());
  LoaderRequest loader{.set = request.loader.set, .text = request.loader.text};
  DevicePipeline pipeline(devices,
                          {.config = request.config, .plan = plan, .loader = std::move(loader)});
  Trial trial(*devices.model, request.shape);
  (void)pipeline.open_gate(request.stop);
  std::vector<double> losses;
  std::int64_t done = 0;
  const auto train = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      if (!train_once(
              pipeline, trial, static_cast<std::int64_t>(losses.size()) + i, request.stop)) {
        return false;
      }
      if (request.progress) {
        request.progress(++done, request.warm_up + request.steps);
      }
    }
    const std::vector<double> seen = finish(trial.step());
    losses.insert(losses.end(), seen.begin(), seen.end());
    return true;
  };
  if (!train(request.warm_up)) {
    return std::nullopt;
  }
  const NeighbourWatch watch;
  const Moment begin = now(pipeline);
  if (!train(request.steps)) {
    return std::nullopt;
  }
  ModeRun run = to_run(begin, now(pipeline), request);
  run.others_share = watch.others_share();
  run.device_cores = devices.cores.model_threads;
  check_losses(losses);
  run.first_loss = losses.front();
  run.last_loss = losses.back();
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
