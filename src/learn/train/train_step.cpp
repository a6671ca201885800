#include "train/train_step.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "train/host_numbers.h"
#include "train/memory_attempt.h"
#include "transfer/device_batch.h"
#include "transfer/slot_timeline.h"

namespace qanat {
namespace {

// Behind the sums of the losses: norm and made of the first part, made of all others.
constexpr std::int64_t kUpdateNumbers = 3;
constexpr int kUpdatesAhead = 8;  // more than the ring lets the host submit ahead

std::optional<Clock::time_point> arrival_of(const std::shared_ptr<SlotTimeline>& way) {
  return way == nullptr ? std::nullopt : way->arrived();
}

}  // namespace

// A microbatch between its phases. Used by work of the two streams, which events order.
struct TrainStep::Microbatch {
  // Work that fails for lack of memory leaves the rest to retry(). The tensors stay until then:
  // a phase beside it may still read them.
  void attempt(std::size_t phase, std::string& why) {
    const auto work = [&] {
      if (gradient == nullptr) {
        gradient = batch->gradient(rows, options);
      }
      gradient->run_phase(phase, sums);
    };
    if (std::string reason = why_not_fitting(work); !reason.empty()) {
      why = std::move(reason);
    }
  }
  bool fits() const { return full.empty() && side_full.empty(); }
  // On the stream, not beside another.
  void run(std::size_t phase) {
    if (fits()) {
      attempt(phase, full);
    }
    is_ready = fits();
  }
  // One of two that run at the same time: `is_ready` is what was before both.
  void run_beside(std::size_t phase, std::string& why) {
    if (is_ready) {
      attempt(phase, why);
    }
  }
  void retry() {
    gradient.reset();
    const std::string& why = full.empty() ? side_full : full;
    if (why.empty()) {
      return;
    }
    if (options.exchange != nullptr) {
      options.exchange->do_again();
    }
    split_rows({.rows = *batch,
                .phases = num_phases,
                .options = options,
                .shape = shape,
                .fitting = *fitting,
                .journal = journal,
                .sums = sums},
               rows,
               why);
  }

  const std::shared_ptr<const TaskRows> batch;  // keeps its slot until the work is done
  const std::size_t num_phases;
  const GradientOptions options;
  const BatchShape shape;
  const RowRange rows;
  const std::shared_ptr<FittingRows> fitting;
  EventSink* const journal;
  const torch::Tensor sums;
  std::unique_ptr<TaskGradient> gradient{};
  std::string full{};       // why the device's memory did not suffice; empty while it does
  std::string side_full{};  // of a phase beside another, which knows nothing of `full`
  bool is_ready = false;    // the phases before have done their work
};

struct TrainStep::Pending {
  struct Mark {
    std::unique_ptr<DeviceEvent> event;
    bool idle = false;
    StepPhase phase = StepPhase::forward;
    std::optional<Clock::time_point> launched{};  // as in StepStretch
    HandOver hand_over{};
    std::shared_ptr<SlotTimeline> way{};  // of the batch; shared with the ring
  };
  StepRecord record;
  std::vector<std::uint32_t> items;
  std::vector<Mark> marks;
  bool is_update = false;
  torch::Tensor numbers;                 // f32 [num_sums + kUpdateNumbers] on the device
  std::unique_ptr<HostNumbers> on_host;  // of updates only
  // Only updates of several processes have one; shared with the work that fills it.
  std::shared_ptr<StepExchange> exchange;
};

TrainStep::TrainStep(Device& device,
                     DeviceStream& stream,
                     TrainTask& task,
                     const TrainStepOptions& options)
    : device_(device),
      stream_(stream),
      task_(task),
      options_(options),
      fitting_(std::make_shared<FittingRows>(options.microbatch_size)),
      host_numbers_(std::make_shared<BlockPool>(
          static_cast<std::size_t>(task.num_sums() + kUpdateNumbers) * sizeof(float),
          device.pinned_blocks())),
      current_(std::make_unique<Pending>()) {
  for (int i = 0; i < kUpdatesAhead; ++i) {
    host_numbers_->add_block();  // now: making one holds up a device that works
  }
  // A GPU uses all its cores for one phase, and other streams would only fight over them.
  if (!device.is_discrete() && std::ranges::any_of(task.phases(), &TaskPhase::beside_next)) {
    side_device_ = std::make_unique<HostDevice>(HostDeviceOptions{});
    side_stream_ = side_device_->make_stream("durations");
  }
  // On the stream, because nothing would order it with what another one does first.
  stream_.submit([this] {
    sums_ = torch::zeros({task_.num_sums()}, torch::TensorOptions().device(task_.device()));
    if (options_.precision == Precision::fp16) {
      loss_scale_.emplace(LossScaleOptions{}, task_.first().loss_scale);
    }
    if (is_shared()) {
      for (const TaskPart& part : task_.parts()) {
        exchanges_.emplace_back(part.weights, *options_.group, options_.exchange);
      }
    } else if (options_.record_graphs && !options_.check_every_operation) {
      player_ = task_.make_player({.stream = stream_,
                                   .sums = sums_,
                                   .journal = options_.journal,
                                   .note = options_.note,
                                   .options = options_.graphs});
    }
  });
  stream_.synchronise();
  exclude_from_next_step();
}

TrainStep::~TrainStep() {
  try {
    stream_.synchronise();  // submitted work refers to this object
  } catch (const std::exception&) {
    // Those who waited for the steps got the failure already.
  }
}

GradientOptions TrainStep::gradient_options() const {
  return {.precision = options_.precision,
          .loss_scale = loss_scale_ ? loss_scale_->factor() : torch::Tensor(),
          .check_every_operation = options_.check_every_operation};
}

std::unique_ptr<DeviceEvent> TrainStep::record_event() {
  std::unique_ptr<DeviceEvent> event = device_.make_event();
  stream_.record(*event);
  return event;
}

// Streams of the host have threads of their own; a GPU's work is launched by this one.
std::optional<Clock::time_point> TrainStep::launched_now() const {
  return device_.is_discrete() ? std::optional(Clock::now()) : std::nullopt;
}

void TrainStep::mark(StepPhase phase) {
  current_->marks.push_back({.event = record_event(), .phase = phase, .launched = launched_now()});
}

int TrainStep::try_shape(const BatchShape& shape) {
  int microbatches = 0;  // written by the stream, read after it is synchronised
  stream_.submit([this, shape, &microbatches] {
    const std::shared_ptr<const TaskRows> rows = task_.longest_rows(shape);
    const GradientOptions options = gradient_options();
    const torch::Tensor nothing;
    const std::vector<RowRange> asked = fitting_->asked(shape.rows, shape.rows);
    run_or_split({.rows = *rows,
                  .phases = task_.phases().size(),
                  .options = options,
                  .shape = shape,
                  .fitting = *fitting_,
                  .journal = options_.journal,
                  .sums = nothing},
                 std::ranges::max(asked, {}, &RowRange::count));
    const std::vector<RowRange> fitting = fitting_->microbatches(shape, shape.rows);
    const bool is_split = fitting.size() > asked.size();
    microbatches = is_split ? static_cast<int>(fitting.size()) : 1;
    if (player_ && has_memory_twice()) {
      player_->reserve(*rows, fitting.front(), options);
    }
  });
  stream_.synchronise();
  exclude_from_next_step();
  return microbatches;
}

// Whether there is room for what the largest shape computes in between a second time: shapes that
// are played keep it apart from those that are computed.
bool TrainStep::has_memory_twice() const {
  constexpr double kFillable = 0.9;  // fragmentation takes the rest
  const MemoryUse use = device_.memory().use();
  const std::int64_t twice = 2 * use.peak.value - use.used.value;
  return !use.limit ||
         static_cast<double>(twice) <= kFillable * static_cast<double>(use.limit->value);
}

void TrainStep::accumulate(const DeviceBatch& batch, const HandOver& hand_over, BatchPlace place) {
  current_->marks.push_back({.event = record_event(),
                             .idle = true,
                             .launched = launched_now(),
                             .hand_over = hand_over,
                             .way = batch.way});
  StepRecord& record = current_->record;
  const BatchShape& shape = batch.layout.shape;
  record.epoch = batch.id.epoch;
  record.batch = batch.id.index;
  const bool is_first = current_->items.empty();
  record.batches = is_first ? 1 : record.batches + 1;
  record.padded = (is_first ? 0 : record.padded.value_or(0)) +
                  static_cast<std::int64_t>(shape.rows) * shape.frames;
  record.rows = shape.rows;
  record.padded_frames = shape.frames;
  record.tokens = shape.tokens;
  for (const std::int32_t frames : batch.mel_lengths) {
    record.frames += frames;
  }
  current_->items.insert(current_->items.end(), batch.items.begin(), batch.items.end());

  const std::shared_ptr<const TaskRows> task_rows = task_.rows_of(batch);
  GradientOptions options = gradient_options();
  const std::vector<RowRange> microbatches = fitting_->microbatches(shape, batch.full_rows);
  for (const RowRange rows : microbatches) {
    const bool is_last = place == BatchPlace::last && rows.first == microbatches.back().first;
    options.exchange = !exchanges_.empty() && is_last ? &exchanges_.front() : nullptr;
    // Shared by the work of both streams.
    submit_microbatch(std::make_shared<Microbatch>(Microbatch{.batch = task_rows,
                                                              .num_phases = task_.phases().size(),
                                                              .options = options,
                                                              .shape = shape,
                                                              .rows = rows,
                                                              .fitting = fitting_,
                                                              .journal = options_.journal,
                                                              .sums = sums_}));
  }
}

// The others are told at once when work of this process fails: its host may be waiting for theirs,
// and theirs for devices that wait for this one.
std::function<void()> TrainStep::told_when_failing(std::function<void()> work) const {
  if (!is_shared()) {
    return work;
  }
  return [work = std::move(work), group = options_.group] {
    try {
      work();
    } catch (const ReplicaLost&) {
      throw;
    } catch (const std::exception& error) {
      group->fail(error.what());
      throw;
    }
  };
}

void TrainStep::submit(std::function<void()> work) {
  stream_.submit(told_when_failing(std::move(work)));
}

void TrainStep::submit_microbatch(const std::shared_ptr<Microbatch>& microbatch) {
  if (player_) {
    submit([this, microbatch] {
      microbatch->full = why_not_fitting(
          [&] { player_->add(*microbatch->batch, microbatch->rows, microbatch->options); });
    });
    mark(StepPhase::backward);
  } else {
    submit_phases(microbatch);
  }
  submit([microbatch] { microbatch->retry(); });
  mark(StepPhase::retry);
}

void TrainStep::submit_phases(const std::shared_ptr<Microbatch>& microbatch) {
  const std::span<const TaskPhase> phases = task_.phases();
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    if (phases[phase].beside_next) {
      submit_pair(microbatch, phase++);
    } else {
      submit([microbatch, phase] { microbatch->run(phase); });
    }
    if (phases[phase].ends) {
      mark(*phases[phase].ends);
    }
  }
}

void TrainStep::submit_pair(const std::shared_ptr<Microbatch>& microbatch, std::size_t phase) {
  const auto beside = [microbatch, phase] { microbatch->run_beside(phase, microbatch->side_full); };
  const auto next = [microbatch, phase] { microbatch->run_beside(phase + 1, microbatch->full); };
  if (!side_stream_) {
    submit(beside);
    submit(next);
    return;
  }
  const std::unique_ptr<DeviceEvent> begun = record_event();
  side_stream_->wait(*begun);
  side_stream_->submit(told_when_failing(beside));
  const std::unique_ptr<DeviceEvent> done = side_device_->make_event();
  side_stream_->record(*done);
  submit(next);
  stream_.wait(*done);
}

void TrainStep::exchange(double frames,
                         double all_frames,
                         const std::shared_ptr<StepExchange>& cost) {
  const torch::NoGradGuard no_grad;
  exchanges_.front().finish(sums_);
  sums_.mul_(frames / all_frames);  // the record divides by the frames of this process
  *cost = exchanges_.front().last().value_or(StepExchange{});
  for (std::size_t part = 1; part < exchanges_.size(); ++part) {
    exchanges_[part].finish({});
    const StepExchange more = exchanges_[part].last().value_or(StepExchange{});
    cost->bytes.value += more.bytes.value;
    cost->busy += more.busy;
  }
}

// Returns f32 [2]: as AdamW::update().
torch::Tensor TrainStep::update_part(std::size_t part,
                                     const UpdateRequest& request,
                                     double divisor) {
  TrainedWeights& trained = task_.parts()[part].weights;
  const bool is_scaled = loss_scale_ && part == 0;
  if (is_scaled) {
    loss_scale_->unscale(trained.gradient);  // after the exchange: the scale is the same everywhere
  }
  const torch::Tensor result =
      trained.optimiser.update(trained.weights, trained.gradient, divisor, request.learning_rate);
  if (is_scaled) {
    loss_scale_->update(result[1]);
  }
  return result;
}

void TrainStep::apply_update(const UpdateRequest& request,
                             double divisor,
                             const torch::Tensor& numbers) {
  const torch::NoGradGuard no_grad;
  const std::int64_t num_sums = task_.num_sums();
  const torch::Tensor result = update_part(0, request, divisor);
  numbers.narrow(0, 0, num_sums).copy_(sums_);
  numbers.narrow(0, num_sums, result.size(0)).copy_(result);
  const torch::Tensor all_others = numbers[num_sums + 2].fill_(1);
  for (std::size_t part = 1; part < task_.parts().size(); ++part) {
    if (task_.is_trained(part, request.step)) {
      all_others.mul_(update_part(part, request, divisor)[1]);
    }
  }
  for (const TaskPart& part : task_.parts()) {
    if (part.weights.ema.defined()) {
      ema_update(part.weights.ema, part.weights.weights, options_.ema_decay, request.step);
    }
    part.weights.gradient.zero_();
  }
  sums_.zero_();
}

void TrainStep::update(const UpdateRequest& request) {
  Pending& update = *current_;
  QANAT_CHECK(update.record.frames > 0) << "an update without a batch";
  update.is_update = true;
  update.record.step = request.step;
  update.record.learning_rate = request.learning_rate;
  const std::int64_t count = task_.num_sums() + kUpdateNumbers;
  update.numbers = torch::empty({count}, torch::TensorOptions().device(task_.device()));
  const auto frames = static_cast<double>(update.record.frames);
  if (is_shared()) {
    update.exchange = std::make_shared<StepExchange>();
    submit([this, frames, all = request.frames, cost = update.exchange] {
      exchange(frames, all, cost);
    });
    mark(StepPhase::exchange);
  }
  submit(
      [this, request, divisor = is_shared() ? request.frames : frames, numbers = update.numbers] {
        apply_update(request, divisor, numbers);
      });
  update.on_host = std::make_unique<HostNumbers>(host_numbers_);
  stream_.copy(
      update.on_host->bytes(),
      std::as_bytes(std::span(update.numbers.data_ptr<float>(), static_cast<std::size_t>(count))));
  mark(StepPhase::optimizer);
  pending_.push_back(std::exchange(current_, std::make_unique<Pending>()));
}

void TrainStep::submit_checkpoint_work(std::function<void()> work) {
  submit(std::move(work));
  mark(StepPhase::checkpoint);
}

void TrainStep::exclude_from_next_step() {
  QANAT_CHECK(current_->items.empty()) << "between two updates only";
  current_->marks.push_back({.event = record_event()});
  pending_.push_back(std::exchange(current_, std::make_unique<Pending>()));
}

std::optional<FinishedStep> TrainStep::finished() {
  while (!pending_.empty() && pending_.front()->marks.back().event->ready()) {
    const std::unique_ptr<Pending> done = std::move(pending_.front());
    pending_.pop_front();
    if (std::optional<FinishedStep> step = settle(*done)) {
      return step;
    }
  }
  return std::nullopt;
}

std::optional<FinishedStep> TrainStep::wait_finished() {
  while (!pending_.empty()) {
    pending_.front()->marks.back().event->synchronise();
    if (std::optional<FinishedStep> step = finished()) {
      return step;
    }
  }
  return std::nullopt;
}

std::optional<FinishedStep> TrainStep::settle(Pending& pending) {
  pending.marks.back().event->synchronise();  // it has passed; throws what its work failed with
  std::vector<StepStretch> stretches;
  for (const Pending::Mark& mark : pending.marks) {
    StepStretch stretch{.end = mark.event->passed_at().value(),
                        .idle = mark.idle,
                        .phase = mark.phase,
                        .launched = mark.launched};
    if (mark.idle) {
      stretch.arrival = {.host_busy_since = mark.hand_over.host_busy_since,
                         .asked = mark.hand_over.asked,
                         .handed = mark.hand_over.handed,
                         .arrived = arrival_of(mark.way).value_or(mark.hand_over.handed),
                         .met = mark.hand_over.met};
    }
    stretches.push_back(stretch);
  }
  const Clock::time_point begin = last_end_.value_or(stretches.front().end);
  last_end_ = stretches.back().end;
  if (!pending.is_update) {
    return std::nullopt;
  }
  FinishedStep step{.record = pending.record, .items = std::move(pending.items)};
  step.record.phases = make_breakdown(begin, stretches);
  if (pending.exchange && pending.exchange->busy > Seconds{0}) {
    step.record.exchange = *pending.exchange;
  }
  const auto mean = [&](std::size_t i) {
    return (*pending.on_host)[i] / static_cast<double>(step.record.frames);
  };
  step.record.losses = task_.to_losses(mean);
  const auto num_sums = static_cast<std::size_t>(task_.num_sums());
  step.record.gradient_norm = (*pending.on_host)[num_sums];
  step.record.skipped = (*pending.on_host)[num_sums + 1] == 0;
  step.updated_all = !step.record.skipped && (*pending.on_host)[num_sums + 2] != 0;
  return step;
}

}  // namespace qanat
