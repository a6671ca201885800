#include "train/trainer.h"

#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/devices.h"
#include "locale/messages/file_errors.h"
#include "locale/messages/training.h"
#include "train/validation.h"

namespace qanat {
namespace {

// The share of a device's memory that fragmentation leaves.
constexpr double kFillable = 0.9;

}  // namespace

const char* to_string(TrainEnding ending) {
  switch (ending) {
    case TrainEnding::max_steps:
      return "max_steps";
    case TrainEnding::all_epochs:
      return "all_epochs";
    case TrainEnding::early_stop:
      return "early_stop";
    case TrainEnding::stopped:
      return "stopped";
  }
  return "unknown";
}

Trainer::Trainer(const TrainerOptions& options, TrainerParts parts, TrainProgress progress)
    : options_(options),
      parts_(std::move(parts)),
      progress_(std::move(progress)),
      first_step_(progress_.step),
      host_busy_since_(Clock::now()),
      guard_(options.max_skipped, parts_.journal),
      bad_share_(options.max_bad_fraction,
                 ItemOrder::shuffled,
                 progress_.position.batch == 0 ? BadShare::Start::of_epoch
                                               : BadShare::Start::inside_epoch),
      step_(parts_.device, parts_.stream, parts_.task, options.step),
      saving_("checkpoint"),
      rendering_("render") {
  guard_.resume(progress_.skipped_steps, progress_.skipped_in_a_row);
}

Trainer::~Trainer() {
  const auto settle = [](const auto& work) {
    try {
      work();
    } catch (const std::exception&) {
      // The run has failed, and its caller was told why.
    }
  };
  saves_end_.request_stop();
  // Submitted work starts the jobs of the members.
  settle([this] { parts_.stream.synchronise(); });
  for (std::optional<HostSnapshot>* const snapshot : {&saved_, &rendered_}) {
    if (*snapshot) {
      settle([snapshot] { (*snapshot)->wait(); });
    }
  }
}

TrainOutcome Trainer::run(const std::stop_token& stop) {
  end_saves_on_.emplace(stop, [this] { saves_end_.request_stop(); });
  try_largest_shape();
  make_snapshots();
  if (parts_.open_gate) {
    parts_.open_gate(stop);
    // Waiting for the first batches is the start of the run, not of a step.
    step_.exclude_from_next_step();
    host_busy_since_ = Clock::now();
  }
  const TrainEnding ending = train(stop);
  if (batch_) {
    release_batch();
  }
  drain();
  wait_for_save();
  const bool has_unsaved = saved_step_ != progress_.step && progress_.step > first_step_;
  if (has_unsaved && options_.save_every > 0) {
    save(Best::no, Save::last);
  }
  parts_.stream.synchronise();
  saving_.wait();
  rendering_.wait();
  return {.ending = ending, .progress = progress_, .steps = progress_.step - first_step_};
}

// The last save, of now, is worth more than the failure of the one before it.
void Trainer::wait_for_save() {
  try {
    saving_.wait();
  } catch (const Error& refused) {
    if (errno_of(refused) == 0) {
      throw;
    }
    tell(refused.failure().message);
  }
}

TrainEnding Trainer::train(const std::stop_token& stop) {
  while (true) {
    if (const std::optional<TrainEnding> ending = reason_to_end(stop)) {
      return *ending;
    }
    const Decision decision = accumulate(stop);
    if (decision != Decision::go) {
      return decision == Decision::stop ? TrainEnding::stopped : TrainEnding::all_epochs;
    }
    submit_update();
    report_finished();
    if (is_shared() && is_due(options_.compare_weights_every)) {
      compare_weights();
    }
    const bool is_best = is_due(options_.validate_every) && validate();
    if ((is_best && options_.save_every > 0) || is_due(options_.save_every)) {
      save(is_best ? Best::yes : Best::no, Save::on_the_way);
    }
    if (is_due(options_.render_every)) {
      render();
    }
  }
}

// Memory problems show now and not in the middle of the first epoch.
void Trainer::try_largest_shape() {
  const BatchShape& shape = options_.largest;
  if (shape.rows == 0) {
    return;
  }
  const int microbatches = step_.try_shape(shape);
  if (microbatches > 1) {
    parts_.observer.on_note(
        msg::train_split{.rows = shape.rows,
                         .frames = shape.frames,
                         .device = to_string(parts_.device.id()),
                         .parts = microbatches,
                         .fits = std::to_string(std::max(1, shape.rows / microbatches))});
  }
}

// Before the first step, but after the largest shape has shown what it needs.
void Trainer::make_snapshots() {
  const auto make = [this](std::optional<HostSnapshot>& snapshot,
                           std::vector<torch::Tensor> blocks) {
    const SnapshotRoom room = room_for(HostSnapshot::bytes_of(blocks));
    snapshot.emplace(parts_.device, parts_.stream, std::move(blocks), room);
  };
  if (options_.save_every > 0) {
    make(saved_, blocks_of(parts_.task));
  }
  if (parts_.render && options_.render_every > 0) {
    make(rendered_, {parts_.task.first().ema});
  }
  step_.exclude_from_next_step();
}

// A copy on the device must not be what makes batches too large for it.
SnapshotRoom Trainer::room_for(Bytes bytes) const {
  const MemoryUse use = parts_.device.memory().use();
  const bool fits = !use.limit || static_cast<double>(use.peak.value + bytes.value) <=
                                      kFillable * static_cast<double>(use.limit->value);
  return fits ? SnapshotRoom::on_device : SnapshotRoom::on_host_only;
}

std::optional<TrainEnding> Trainer::reason_to_end(const std::stop_token& stop) const {
  if (stop.stop_requested() && !is_shared()) {  // several processes stop at one step
    return TrainEnding::stopped;
  }
  if (progress_.step >= options_.max_steps) {
    return TrainEnding::max_steps;
  }
  if (options_.patience && progress_.validations_since_best >= *options_.patience) {
    return TrainEnding::early_stop;
  }
  return std::nullopt;
}

bool Trainer::is_shared() const {
  return options_.step.group != nullptr && options_.step.group->rank().world > 1;
}

// One process of a run writes its checkpoints.
bool Trainer::is_writer() const {
  return options_.step.group == nullptr || options_.step.group->rank().rank == 0;
}

// Whoever wants to stop says so with its frames, so no process waits for one that has stopped.
Trainer::Decision Trainer::meet(Decision own, const UpdateRows& rows) {
  all_frames_ = rows.frames;
  if (!is_shared()) {
    return own;
  }
  ProcessGroup& group = *options_.step.group;
  group.at_step(progress_.step);
  const std::array<double, 6> said = {rows.frames,
                                      rows.rows,
                                      rows.bad,
                                      rows.epoch_ends,
                                      own == Decision::stop ? 1.0 : 0.0,
                                      own == Decision::end ? 1.0 : 0.0};
  const std::vector<double> all = group.all_gather(said);
  std::array<double, said.size()> sums{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    sums[i % sums.size()] += all[i];
  }
  all_frames_ = sums[0];
  const Decision decision = sums[4] > 0   ? Decision::stop
                            : sums[5] > 0 ? Decision::end
                                          : Decision::go;
  if (decision == Decision::go) {
    count_bad({.frames = sums[0], .rows = sums[1], .bad = sums[2], .epoch_ends = sums[3]});
  }
  return decision;
}

void Trainer::add(const DeviceBatch& batch, UpdateRows& rows) const {
  rows.frames += static_cast<double>(
      std::accumulate(batch.mel_lengths.begin(), batch.mel_lengths.end(), std::int64_t{0}));
  rows.rows += static_cast<double>(batch.items.size());
  rows.bad += batch.bad_rows;
  if (parts_.position_after(batch.id).epoch != batch.id.epoch) {
    rows.epoch_ends = 1;
  }
}

// All count the same, so all end after the same step. Throws MessageError.
void Trainer::count_bad(const UpdateRows& all) {
  const std::optional<CountedRows> bad = bad_share_.add(
      {.rows = static_cast<std::int64_t>(all.rows), .bad = static_cast<std::int64_t>(all.bad)},
      all.epoch_ends > 0 ? BadShare::Place::last_of_epoch : BadShare::Place::inside);
  if (bad) {
    throw MessageError(msg::replicas_too_many_bad{
        .bad = bad->bad,
        .rows = bad->rows,
        .share = in_percent(static_cast<double>(bad->bad) / static_cast<double>(bad->rows), 1),
        .most = in_percent(options_.max_bad_fraction, 1)});
  }
}

// The batches of one update; fewer at the end of the data. When a process stops between them, they
// are not part of the run.
Trainer::Decision Trainer::accumulate(const std::stop_token& stop) {
  parts_.task.begin_update(progress_.step);
  UpdateRows rows;
  for (int count = 0; count < options_.batches_per_update; ++count) {
    HandOver hand_over{.host_busy_since = host_busy_since_, .asked = Clock::now(), .handed = {}};
    if (!batch_) {
      batch_ = parts_.ring.next(parts_.stream, stop);
    }
    hand_over.handed = Clock::now();
    if (!batch_) {
      return meet(stop.stop_requested() ? Decision::stop
                  : count == 0          ? Decision::end
                                        : Decision::go,
                  rows);
    }
    add(*batch_, rows);
    const bool is_last = count + 1 == options_.batches_per_update;
    if (is_last) {
      const bool is_stop = is_shared() && stop.stop_requested();
      const Decision decision = meet(is_stop ? Decision::stop : Decision::go, rows);
      if (decision != Decision::go) {
        return decision;
      }
      if (is_shared()) {
        hand_over.met = Clock::now();
      }
    }
    step_.accumulate(*batch_, hand_over, is_last ? BatchPlace::last : BatchPlace::before_others);
    last_batch_ = batch_->id;
    const bool is_held = options_.hold_batch && is_last;
    if (++uses_ >= options_.uses_of_batch && !is_held) {
      release_batch();
    }
    host_busy_since_ = Clock::now();
  }
  return Decision::go;
}

void Trainer::release_batch() {
  parts_.ring.release(*std::exchange(batch_, std::nullopt), parts_.stream);
  uses_ = 0;
}

void Trainer::submit_update() {
  step_.update({.step = progress_.step,
                .learning_rate = options_.schedule.learning_rate(progress_.step),
                .frames = all_frames_});
  ++progress_.step;
  progress_.position = parts_.position_after(last_batch_);
  if (batch_ && uses_ >= options_.uses_of_batch) {
    release_batch();
  }
  host_busy_since_ = Clock::now();
}

void Trainer::report_finished() {
  while (const std::optional<FinishedStep> step = step_.finished()) {
    report(*step);
  }
}

// Waits once: a host that is woken by every event takes the core from the device's thread.
void Trainer::drain() {
  parts_.stream.synchronise();
  report_finished();
}

void Trainer::report(const FinishedStep& step) {
  if (parts_.journal != nullptr) {
    parts_.journal->record(step.record);
  }
  parts_.observer.on_step(step.record);
  guard_.observe(step);
  progress_.skipped_steps = guard_.skipped();
  progress_.skipped_in_a_row = guard_.in_a_row();
}

// Processes whose weights have come apart would go on for days without a sign of it.
void Trainer::compare_weights() {
  constexpr std::int64_t kExact = (std::int64_t{1} << 52) - 1;  // of a double
  double sum = 0;
  parts_.stream.submit([&] {
    const torch::NoGradGuard no_grad;
    std::int64_t bits = 0;
    for (const TaskPart& part : parts_.task.parts()) {
      bits += part.weights.weights.view(torch::kInt32).sum(torch::kInt64).item<std::int64_t>();
    }
    sum = static_cast<double>(bits & kExact);
  });
  drain();
  step_.exclude_from_next_step();
  report_finished();
  ProcessGroup& group = *options_.step.group;
  const std::vector<double> sums = group.all_gather({&sum, 1});
  for (std::size_t rank = 1; rank < sums.size(); ++rank) {
    if (sums[rank] != sums[0]) {
      throw MessageError(msg::replicas_weights_differ{
          .rank = rank, .host = group.host(static_cast<int>(rank)), .step = progress_.step});
    }
  }
}

bool Trainer::is_due(std::int64_t every) const {
  return every > 0 && progress_.step % every == 0;
}

// Whether it was the best so far.
bool Trainer::validate() {
  if (!parts_.task.has_validation()) {
    return false;
  }
  const ValidationResult result = parts_.task.validate(parts_.stream, options_.step.group);
  step_.exclude_from_next_step();
  report_finished();
  const double score = score_of(result, options_.best_by);  // the same in all processes
  const bool is_best =
      std::isfinite(score) && (!progress_.best_score || score < *progress_.best_score);
  if (is_best) {
    progress_.best_score = score;
    progress_.best_step = progress_.step;
    progress_.validations_since_best = 0;
  } else {
    ++progress_.validations_since_best;
  }
  const ValidationDone done{.step = progress_.step,
                            .loss = result.losses.total,
                            .score = score,
                            .best = is_best,
                            .since_lowest = compare_with_lowest(progress_, result),
                            .result = result};
  if (parts_.journal != nullptr) {
    parts_.journal->record(done);
  }
  progress_.history.push_back(to_fields(done));
  parts_.observer.on_validation(done, progress_);
  return is_best;
}

nlohmann::json Trainer::make_state() const {
  nlohmann::json state = parts_.state;
  state["training"] = to_json(progress_);
  return state;
}

// Copies the snapshot, which is whole.
Checkpoint Trainer::make_checkpoint() const {
  return to_checkpoint(parts_.task,
                       [this](const torch::Tensor& block) { return saved_->of(block); });
}

void Trainer::save(Best best, Save place) {
  if (!is_writer()) {
    saved_step_ = progress_.step;
    return;
  }
  saving_.reserve();
  step_.submit_checkpoint_work([this] { saved_->copy(); });
  saved_->fetch([this, best, place, step = progress_.step, state = make_state()] {
    saving_.start([this, best, place, step, state] {
      saved_->require_whole();
      Checkpoint checkpoint = make_checkpoint();
      checkpoint.state = state;
      write_checkpoint(checkpoint, step, best, place);
    });
  });
  parts_.observer.on_save(progress_.step);
}

// What the system refuses is a note as long as there is another save to come.
void Trainer::write_checkpoint(const Checkpoint& checkpoint,
                               std::int64_t step,
                               Best best,
                               Save place) {
  const Clock::time_point begin = Clock::now();
  try {
    retry_refused(save_retry(),
                  [&] { parts_.checkpoints.save(step, checkpoint, best == Best::yes); });
  } catch (const Error& refused) {
    const bool is_over = ++failed_saves_ >= options_.max_failed_saves || place == Save::last;
    if (errno_of(refused) == 0 || is_over) {
      throw;
    }
    tell(msg::save_left_out{
        .reason = reason_of(refused), .count = failed_saves_, .most = options_.max_failed_saves});
    return;
  }
  failed_saves_ = 0;
  saved_step_ = step;
  journal_saved(step, best, seconds_since(begin));
}

RetryWait Trainer::save_retry() const {
  RetryWait wait = options_.save_retry;
  wait.stop = saves_end_.get_token();
  wait.on_wait = [this](const Error& refused) {
    const RetryWait& all = options_.save_retry;
    tell(msg::retry_wait{
        .reason = reason_of(refused),
        .timeout = says_disk_full(errno_of(refused)) ? all.timeout_full : all.timeout});
  };
  wait.on_done = [this](Seconds after) { tell(msg::retry_done{.after = after}); };
  return wait;
}

void Trainer::tell(const Message& note) const {
  if (parts_.journal != nullptr) {
    parts_.journal->record(NoteTold{.what = Translator().tr(note)});
  }
  parts_.observer.on_note(note);
}

void Trainer::journal_saved(std::int64_t step, Best best, Seconds time) const {
  if (parts_.journal != nullptr) {
    parts_.journal->record(
        CheckpointSaved{.step = step, .best = best == Best::yes, .seconds = time});
  }
}

// Skipped while the last one is running: nothing depends on the sound.
void Trainer::render() {
  if (!is_writer() || !parts_.render || !rendering_.is_idle()) {
    return;
  }
  rendering_.reserve();
  step_.submit_checkpoint_work([this] { rendered_->copy(); });
  rendered_->fetch([this, step = progress_.step] {
    rendering_.start([this, step] {
      rendered_->require_whole();
      const TrainedWeights& weights = parts_.task.first();
      parts_.render(step, weights.layout.views(rendered_->of(weights.ema)));
    });
  });
}

}  // namespace qanat
