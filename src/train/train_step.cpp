#include "train/train_step.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "locale/message_error.h"
#include "locale/messages.h"
#include "train/host_numbers.h"
#include "train/memory_attempt.h"
#include "transfer/device_batch.h"
#include "transfer/slot_timeline.h"

namespace qanat {
namespace {

constexpr std::int64_t kNumbers = kLossSums + 2;  // and norm, made
constexpr int kUpdatesAhead = 8;                  // more than the ring lets the host submit ahead

std::optional<Clock::time_point> arrival_of(const std::shared_ptr<SlotTimeline>& way) {
  return way == nullptr ? std::nullopt : way->arrived();
}

}  // namespace

// A microbatch between its phases. Used by work of the two streams, which events order.
struct TrainStep::Microbatch {
  // Work that fails for lack of memory leaves the rest to retry(). The tensors stay until then:
  // the search may still read them.
  void attempt(const std::function<void(MicrobatchGradient&)>& work, std::string& why) {
    if (std::string reason = why_not_fitting([&] { work(*gradient); }); !reason.empty()) {
      why = std::move(reason);
    }
  }
  void retry() {
    gradient.reset();
    const std::string& why = full.empty() ? search_full : full;
    if (why.empty()) {
      return;
    }
    if (options.exchange != nullptr) {
      options.exchange->do_again();
    }
    split_rows({.model = model,
                .options = options,
                .rows = tensors,
                .shape = batch.layout.shape,
                .fitting = *fitting,
                .journal = journal,
                .sums = sums},
               rows,
               why);
  }

  TrainedModel& model;
  const MicrobatchOptions options;
  const DeviceBatch batch;  // a copy of the loan: keeps its slot until the work is done
  const RowRange rows;
  const std::function<ModelBatch(RowRange)> tensors;
  const std::shared_ptr<FittingRows> fitting;
  EventSink* const journal;
  const torch::Tensor sums;
  std::optional<MicrobatchGradient> gradient;
  std::string full;           // why the device's memory did not suffice; empty while it does
  std::string search_full{};  // the search's, which knows nothing of `full` while it runs
  bool is_aligned = false;    // there is something to search
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
  torch::Tensor numbers;                 // f32 [kNumbers] on the device
  std::unique_ptr<HostNumbers> on_host;  // of updates only
  // Of updates of several processes; shared with the work that fills it.
  std::shared_ptr<StepExchange> exchange;
};

TrainStep::TrainStep(Device& device,
                     DeviceStream& stream,
                     TrainedModel& model,
                     const TrainStepOptions& options)
    : device_(device),
      stream_(stream),
      model_(model),
      options_(options),
      crops_(options.seed),
      speakers_(model.network->shape().speakers),
      fitting_(std::make_shared<FittingRows>(options.microbatch_size)),
      host_numbers_(std::make_shared<BlockPool>(kNumbers * sizeof(float), device.pinned_blocks())),
      current_(std::make_unique<Pending>()) {
  for (int i = 0; i < kUpdatesAhead; ++i) {
    host_numbers_->add_block();  // now: making one holds up a device that works
  }
  // A GPU searches with all its rows at once, and other streams would only fight over its cores.
  if (!device.is_discrete()) {
    search_device_ = std::make_unique<HostDevice>(HostDeviceOptions{});
    search_stream_ = search_device_->make_stream("durations");
  }
  // On the stream, because nothing would order it with what another one does first.
  stream_.submit([this] {
    sums_ = torch::zeros({kLossSums}, torch::TensorOptions().device(model_.device()));
    if (options_.precision == Precision::fp16) {
      loss_scale_.emplace(LossScaleOptions{}, model_.loss_scale);
    }
    if (is_shared()) {
      exchange_.emplace(model_, *options_.group, options_.exchange);
    } else if (options_.record_graphs && !options_.check_every_operation) {
      graphs_.emplace(StepGraphParts{.stream = stream_,
                                     .model = model_,
                                     .sums = sums_,
                                     .journal = options_.journal,
                                     .note = options_.note},
                      options_.graphs);
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

MicrobatchOptions TrainStep::microbatch_options() const {
  return {.weights = weights_,
          .precision = options_.precision,
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
    const std::function<ModelBatch(RowRange)> rows = [&](RowRange range) {
      return make_longest_batch(
          {.rows = range.count, .frames = shape.frames, .tokens = shape.tokens},
          model_.network->shape().mel_bins,
          model_.device(),
          speakers_);
    };
    const MicrobatchOptions options = microbatch_options();
    const torch::Tensor nothing;
    const RowRange all{.count = shape.rows};
    run_or_split({.model = model_,
                  .options = options,
                  .rows = rows,
                  .shape = shape,
                  .fitting = *fitting_,
                  .journal = options_.journal,
                  .sums = nothing},
                 fitting_->asked(all).front());
    const std::vector<RowRange> fitting = fitting_->microbatches(shape, all);
    const bool is_split = fitting.size() > fitting_->asked(all).size();
    microbatches = is_split ? static_cast<int>(fitting.size()) : 1;
    if (graphs_ && has_memory_twice()) {
      graphs_->reserve(rows(fitting.front()), options);
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

  const auto crops = std::make_shared<const std::vector<ReferenceCrop>>(crops_.crops(
      batch.id.epoch,
      {.items = batch.items, .speakers = batch.speakers, .frames = batch.mel_lengths}));
  MicrobatchOptions options = microbatch_options();
  const std::vector<RowRange> microbatches = fitting_->microbatches(shape, {.count = shape.rows});
  for (const RowRange rows : microbatches) {
    const bool is_last = place == BatchPlace::last && rows.first == microbatches.back().first;
    options.exchange = exchange_ && is_last ? &*exchange_ : nullptr;
    // Shared by the work of both streams.
    auto microbatch = std::make_shared<Microbatch>(Microbatch{
        .model = model_,
        .options = options,
        .batch = batch,
        .rows = rows,
        .tensors =
            [batch, crops, device = model_.device(), speakers = speakers_](RowRange range) {
              return to_model_batch(batch, range, *crops, device, speakers);
            },
        .fitting = fitting_,
        .journal = options_.journal,
        .sums = sums_,
        .gradient = std::nullopt,
        .full = {}});
    submit_microbatch(microbatch);
  }
}

// The others are told at once when work of this process fails: its host may be waiting for theirs,
// and theirs for devices that wait for this one.
void TrainStep::submit(std::function<void()> work) {
  if (!is_shared()) {
    stream_.submit(std::move(work));
    return;
  }
  stream_.submit([work = std::move(work), group = options_.group] {
    try {
      work();
    } catch (const ReplicaLost&) {
      throw;
    } catch (const std::exception& error) {
      group->fail(error.what());
      throw;
    }
  });
}

void TrainStep::submit_microbatch(const std::shared_ptr<Microbatch>& microbatch) {
  if (graphs_) {
    stream_.submit([this, microbatch] {
      microbatch->full = why_not_fitting(
          [&] { graphs_->add(microbatch->tensors(microbatch->rows), microbatch->options); });
    });
    mark(StepPhase::backward);
  } else {
    submit_phases(microbatch);
  }
  submit([microbatch] { microbatch->retry(); });
  mark(StepPhase::retry);
}

void TrainStep::submit_phases(const std::shared_ptr<Microbatch>& microbatch) {
  const auto submit_phase = [&](void (MicrobatchGradient::*phase)()) {
    submit([microbatch, phase] {
      if (microbatch->full.empty() && microbatch->search_full.empty()) {
        microbatch->attempt([phase](MicrobatchGradient& gradient) { (gradient.*phase)(); },
                            microbatch->full);
      }
    });
  };
  submit([microbatch] {
    microbatch->gradient.emplace(microbatch->model, microbatch->options, [raw = microbatch.get()] {
      return raw->tensors(raw->rows);
    });
    microbatch->attempt(&MicrobatchGradient::align, microbatch->full);
    microbatch->is_aligned = microbatch->full.empty();
  });
  submit_search_and_encode(microbatch);
  submit_phase(&MicrobatchGradient::decode);
  mark(StepPhase::forward);
  submit_phase(&MicrobatchGradient::losses);
  mark(StepPhase::loss);
  submit([microbatch] {
    if (microbatch->full.empty() && microbatch->search_full.empty()) {
      microbatch->attempt(
          [&](MicrobatchGradient& gradient) { gradient.backward(microbatch->sums); },
          microbatch->full);
    }
  });
  mark(StepPhase::backward);
}

void TrainStep::submit_search_and_encode(const std::shared_ptr<Microbatch>& microbatch) {
  const auto search = [microbatch] {
    if (microbatch->is_aligned) {
      microbatch->attempt(&MicrobatchGradient::search, microbatch->search_full);
    }
  };
  const auto encode = [microbatch] {
    if (microbatch->is_aligned) {
      microbatch->attempt(&MicrobatchGradient::encode, microbatch->full);
    }
  };
  if (!search_stream_) {
    stream_.submit(search);
    stream_.submit(encode);
    return;
  }
  const std::unique_ptr<DeviceEvent> aligned = record_event();
  search_stream_->wait(*aligned);
  search_stream_->submit(search);
  const std::unique_ptr<DeviceEvent> found = search_device_->make_event();
  search_stream_->record(*found);
  stream_.submit(encode);
  stream_.wait(*found);
}

void TrainStep::exchange(double frames,
                         double all_frames,
                         const std::shared_ptr<StepExchange>& cost) {
  const torch::NoGradGuard no_grad;
  exchange_->finish(sums_);
  sums_.mul_(frames / all_frames);  // the record divides by the frames of this process
  *cost = exchange_->last().value_or(StepExchange{});
}

void TrainStep::apply_update(const UpdateRequest& request,
                             double divisor,
                             const torch::Tensor& numbers) {
  const torch::NoGradGuard no_grad;
  if (loss_scale_) {
    loss_scale_->unscale(model_.gradient);  // after the exchange: the scale is the same everywhere
  }
  const torch::Tensor result =
      model_.optimiser.update(model_.weights, model_.gradient, divisor, request.learning_rate);
  if (loss_scale_) {
    loss_scale_->update(result[1]);
  }
  numbers.narrow(0, 0, kLossSums).copy_(sums_);
  numbers.narrow(0, kLossSums, 2).copy_(result);
  ema_update(model_.ema, model_.weights, options_.ema_decay, request.step);
  model_.gradient.zero_();
  sums_.zero_();
}

void TrainStep::update(const UpdateRequest& request) {
  Pending& update = *current_;
  QANAT_CHECK(update.record.frames > 0) << "an update without a batch";
  update.is_update = true;
  update.record.step = request.step;
  update.record.learning_rate = request.learning_rate;
  update.numbers = torch::empty({kNumbers}, torch::TensorOptions().device(model_.device()));
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
  stream_.copy(update.on_host->bytes(),
               std::as_bytes(std::span(update.numbers.data_ptr<float>(), kNumbers)));
  mark(StepPhase::optimizer);
  pending_.push_back(std::exchange(current_, std::make_unique<Pending>()));
}

void TrainStep::submit_checkpoint_work(std::function<void()> work) {
  stream_.submit(std::move(work));
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
  step.record.losses = {.total = mean(0),
                        .mel = mean(1),
                        .postnet_mel = mean(2),
                        .prior = mean(3),
                        .forward_sum = mean(4),
                        .binarisation = mean(5),
                        .duration = mean(6)};
  step.record.gradient_norm = (*pending.on_host)[kLossSums];
  step.record.skipped = (*pending.on_host)[kLossSums + 1] == 0;
  return step;
}

}  // namespace qanat
