#include "train/trainer.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/disk_full.h"
#include "locale/messages.h"
#include "torch_binding/torch_binding.h"

namespace qanat {
namespace {

constexpr const char* kLossScaleName = "loss_scale";  // among the state of the optimiser

TensorMap copy_to_host(const TensorMap& tensors) {
  TensorMap copies;
  for (const auto& [name, tensor] : tensors) {
    copies.emplace(name, tensor.detach().to(torch::kCPU, tensor.scalar_type(), false, true));
  }
  return copies;
}

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

void load_into(TrainedModel& model, const Checkpoint& checkpoint) {
  model.layout.load(model.weights, checkpoint.weights, "weights of");
  model.layout.load(model.ema, checkpoint.ema, "averaged weights of");
  model.optimiser.load_state(checkpoint.optimizer);
  if (const auto scale = checkpoint.optimizer.find(kLossScaleName);
      scale != checkpoint.optimizer.end() && scale->second.sizes() == model.loss_scale.sizes()) {
    model.loss_scale.copy_(scale->second);
  }
}

Trainer::Trainer(const TrainerOptions& options, TrainerParts parts, TrainProgress progress)
    : options_(options),
      parts_(std::move(parts)),
      progress_(std::move(progress)),
      first_step_(progress_.step),
      host_busy_since_(Clock::now()),
      guard_(options.max_skipped, parts_.journal),
      step_(parts_.device, parts_.stream, parts_.model, options.step),
      saving_("checkpoint"),
      rendering_("render") {
  guard_.resume(progress_.skipped_steps, progress_.skipped_in_a_row);
}

Trainer::~Trainer() {
  try {
    parts_.stream.synchronise();  // submitted work starts the jobs of the members
  } catch (const std::exception&) {
    // The run has failed, and its caller was told why.
  }
}

TrainOutcome Trainer::run(const std::stop_token& stop) {
  stop_ = stop;
  try_largest_shape();
  if (parts_.open_gate) {
    parts_.open_gate(stop);
  }
  const TrainEnding ending = train(stop);
  if (batch_) {
    release_batch();
  }
  drain();
  wait_for_save();
  const bool has_unsaved = saved_step_ != progress_.step && progress_.step > first_step_;
  if (has_unsaved && options_.save_every > 0) {
    save(Best::no);
  }
  parts_.stream.synchronise();
  saving_.wait();
  rendering_.wait();
  return {.ending = ending, .progress = progress_, .steps = progress_.step - first_step_};
}

// A stop ends the wait of a save for space; then the last one, of now, is worth more than the
// error.
void Trainer::wait_for_save() {
  try {
    saving_.wait();
  } catch (const DiskFull& full) {
    parts_.observer.on_note(full.what());
    saved_step_.reset();
  }
}

TrainEnding Trainer::train(const std::stop_token& stop) {
  while (true) {
    if (const std::optional<TrainEnding> ending = reason_to_end(stop)) {
      return *ending;
    }
    if (!accumulate(stop)) {
      return stop.stop_requested() ? TrainEnding::stopped : TrainEnding::all_epochs;
    }
    submit_update();
    report_finished();
    const bool is_best = is_due(options_.validate_every) && validate();
    if ((is_best && options_.save_every > 0) || is_due(options_.save_every)) {
      save(is_best ? Best::yes : Best::no);
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

std::optional<TrainEnding> Trainer::reason_to_end(const std::stop_token& stop) const {
  if (stop.stop_requested()) {
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

// The batches of one update; fewer at the end of the data. False when there are none, or when a
// stop came between them: they are then not part of the run.
bool Trainer::accumulate(const std::stop_token& stop) {
  LossWeights weights;
  weights.binarisation =
      progress_.step >= options_.binarisation_start ? options_.binarisation : 0.0;
  step_.set_loss_weights(weights);
  int count = 0;
  while (count < options_.batches_per_update) {
    HandOver hand_over{.host_busy_since = host_busy_since_, .asked = Clock::now(), .handed = {}};
    if (!batch_) {
      batch_ = parts_.ring.next(parts_.stream, stop);
    }
    hand_over.handed = Clock::now();
    if (!batch_) {
      return count > 0 && !stop.stop_requested();
    }
    step_.accumulate(*batch_, hand_over);
    last_batch_ = batch_->id;
    ++count;
    const bool is_held = options_.hold_batch && count == options_.batches_per_update;
    if (++uses_ >= options_.uses_of_batch && !is_held) {
      release_batch();
    }
    host_busy_since_ = Clock::now();
  }
  return true;
}

void Trainer::release_batch() {
  parts_.ring.release(*std::exchange(batch_, std::nullopt), parts_.stream);
  uses_ = 0;
}

void Trainer::submit_update() {
  step_.update(
      {.step = progress_.step, .learning_rate = options_.schedule.learning_rate(progress_.step)});
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
  guard_.observe(step.record, step.items);
  progress_.skipped_steps = guard_.skipped();
  progress_.skipped_in_a_row = guard_.in_a_row();
}

bool Trainer::is_due(std::int64_t every) const {
  return every > 0 && progress_.step % every == 0;
}

// Whether it was the best so far.
bool Trainer::validate() {
  if (parts_.validator.is_empty()) {
    return false;
  }
  const ValidationResult result = parts_.validator.run(parts_.model, parts_.stream);
  step_.exclude_from_next_step();
  report_finished();
  const double score = score_of(result, options_.best_by);
  const bool is_best =
      std::isfinite(score) && (!progress_.best_score || score < *progress_.best_score);
  if (is_best) {
    progress_.best_score = score;
    progress_.best_step = progress_.step;
    progress_.validations_since_best = 0;
  } else {
    ++progress_.validations_since_best;
  }
  const ValidationDone done{
      .step = progress_.step, .score = result.losses.total, .best = is_best, .result = result};
  if (parts_.journal != nullptr) {
    parts_.journal->record(done);
  }
  progress_.history.push_back(to_fields(done));
  parts_.observer.on_validation(progress_.step, result, is_best);
  return is_best;
}

nlohmann::json Trainer::make_state() const {
  nlohmann::json state = parts_.state;
  state["training"] = to_json(progress_);
  return state;
}

// To be called on the stream. The copies are the host's: they do not count against the device.
Checkpoint Trainer::make_checkpoint() const {
  const TorchBudgetScope host(nullptr);
  const TrainedModel& model = parts_.model;
  TensorMap optimizer = model.optimiser.state();
  optimizer.emplace(kLossScaleName, model.loss_scale);
  return {.weights = copy_to_host(model.layout.views(model.weights)),
          .ema = copy_to_host(model.layout.views(model.ema)),
          .optimizer = copy_to_host(optimizer),
          .state = {}};
}

void Trainer::save(Best best) {
  saving_.reserve();
  // Shared by the work that fills it and the thread that writes it.
  auto copy = std::make_shared<std::optional<Checkpoint>>();
  step_.submit_checkpoint_work([this, copy] { *copy = make_checkpoint(); });
  parts_.stream.then([this, copy, best, step = progress_.step, state = make_state()] {
    if (!*copy) {
      saving_.cancel();  // the stream has failed; those who wait for it get the failure
      return;
    }
    saving_.start([this, copy, best, step, state] {
      const Clock::time_point begin = Clock::now();
      (*copy)->state = state;
      retry_while_full({.stop = stop_,
                        .say = [this](const std::string& line) { parts_.observer.on_note(line); }},
                       [&] { parts_.checkpoints.save(step, **copy, best == Best::yes); });
      journal_saved(step, best, seconds_since(begin));
    });
  });
  saved_step_ = progress_.step;
  parts_.observer.on_save(progress_.step);
}

void Trainer::journal_saved(std::int64_t step, Best best, Seconds time) const {
  if (parts_.journal != nullptr) {
    parts_.journal->record(
        CheckpointSaved{.step = step, .best = best == Best::yes, .seconds = time});
  }
}

// Skipped while the last one is running: nothing depends on the sound.
void Trainer::render() {
  if (!parts_.render || !rendering_.is_idle()) {
    return;
  }
  rendering_.reserve();
  auto weights = std::make_shared<TensorMap>();
  step_.submit_checkpoint_work([this, weights] {
    const TorchBudgetScope host(nullptr);
    *weights = copy_to_host(parts_.model.layout.views(parts_.model.ema));
  });
  parts_.stream.then([this, weights, step = progress_.step] {
    if (weights->empty()) {
      rendering_.cancel();
      return;
    }
    rendering_.start([this, weights, step] { parts_.render(step, *weights); });
  });
}

}  // namespace qanat
