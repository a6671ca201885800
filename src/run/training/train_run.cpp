#include "training/train_run.h"

#include <limits>
#include <utility>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "base/files.h"
#include "checkpoint_files/folder_lock.h"
#include "config/field_list.h"
#include "config/write_config.h"
#include "device/cuda/cuda_device.h"
#include "locale/message_error.h"
#include "locale/messages/file_errors.h"
#include "locale/messages/training.h"
#include "metrics/tee_sink.h"
#include "monitor/host_facts.h"
#include "monitor/resource_monitor.h"
#include "session/device_pipeline.h"
#include "session/memory_check.h"
#include "session/run_event.h"
#include "torch_binding/torch_device.h"
#include "train/trainer.h"
#include "training/announce_plan.h"
#include "training/init_from.h"
#include "training/live_verdict.h"
#include "training/prepare_task.h"
#include "training/replica_agreement.h"
#include "training/replica_start.h"
#include "training/run_identity.h"
#include "training/run_task.h"
#include "training/train_schedule.h"

namespace qanat {
namespace {

// A run between its beginning and its end, in the order things are made; they go in the other.
class TrainRun {
 public:
  TrainRun(const TrainRequest& request, const ReplicaRun& replica, TrainInputs inputs);

  std::optional<TrainSummary> run();

 private:
  SessionStart journal_header() const;
  nlohmann::json state() const;
  void resume();
  void load_newest();
  void load_init_from();
  bool is_first() const { return group_.rank().rank == 0; }
  void tell(const MessageArg& note);
  void choose_rates();
  bool prepare();
  void open_gate(const std::stop_token& stop);
  void make_pipeline();
  void check_memory();
  void make_model();
  void make_renderer();
  void render(std::int64_t step, const TensorMap& weights);
  void write_config();
  TrainerParts trainer_parts();
  TrainSummary first_summary() const;
  ExchangeSetup exchange_setup() const;
  void journal_run();
  void journal_end(const TrainOutcome& outcome);
  std::unique_ptr<ResourceMonitor> watch_resources();
  Precision precision() const;
  TrainerOptions trainer_options();
  std::int64_t all_updates() const;

  const TrainRequest& request_;
  const RunConfig& config_;
  ProcessGroup& group_;
  const TrainInputs inputs_;
  const DevicePlan plan_;
  const RunIdentity identity_;
  CheckpointFolder checkpoints_;
  const std::unique_ptr<FolderLock> lock_;  // of the process that writes
  const std::filesystem::path journal_path_;
  const Bytes session_begin_;  // in the journal: earlier sessions are before it
  RunJournal journal_;
  TeeSink events_;  // the journal, and whoever else wants to know
  std::optional<LiveVerdict> verdict_;
  TrainProgress progress_;
  std::optional<Schedule> stored_schedule_;  // of the checkpoint
  Schedule schedule_;
  std::optional<LoadedCheckpoint> loaded_;
  std::optional<LoadedCheckpoint> initial_;  // of training.init_from, in a new run
  nlohmann::json origin_;                    // what the run began with; null: random weights
  RunDevices devices_;
  std::unique_ptr<DevicePipeline> pipeline_;
  std::unique_ptr<DeviceStream> stream_;
  const std::unique_ptr<RunTask> task_;  // goes before the stream and the device of its tensors
  RunTask::RenderFn renderer_;           // absent: nothing is rendered
  TrainTask* trained_ = nullptr;         // of task_
};

std::filesystem::path make_folder(const std::string& name) {
  make_folders(name, "--checkpoint-dir");
  return name;
}

// Nothing where there is no file.
Bytes size_of(const std::filesystem::path& file) {
  std::error_code missing;
  const std::uintmax_t bytes = std::filesystem::file_size(file, missing);
  return Bytes{missing ? 0 : static_cast<std::int64_t>(bytes)};
}

TrainRun::TrainRun(const TrainRequest& request, const ReplicaRun& replica, TrainInputs inputs)
    : request_(request),
      config_(request.config.values),
      group_(replica.group),
      inputs_(std::move(inputs)),
      plan_(replica.plan),
      identity_(identity_of(config_, inputs_, replica.processes)),
      checkpoints_(make_folder(config_.training.checkpoint_dir), config_.training.keep_checkpoints),
      lock_(group_.rank().rank == 0 ? std::make_unique<FolderLock>(checkpoints_.path()) : nullptr),
      journal_path_(journal_of_rank(checkpoints_.path() / "journal.jsonl", group_.rank().rank)),
      session_begin_(size_of(journal_path_)),
      journal_(journal_path_, journal_header()),
      devices_(make_devices(config_, plan_, read_host_share())),
      task_(make_run_task(config_, inputs_)) {
  journal_.tell([this](const Message& line) { request_.observer.on_note(line); });
  events_.add(journal_);
  for (EventSink* sink : request_.sinks) {
    sink->record(journal_header());
    events_.add(*sink);
  }
  if (request_.verdicts == TrainRequest::Verdicts::live) {
    verdict_.emplace(
        LiveVerdictOptions{.journal = journal_path_, .watch = {.from = session_begin_}},
        request_.observer,
        events_);
    events_.add(*verdict_);
    verdict_->start();
  }
}

SessionStart TrainRun::journal_header() const {
  return {.command = "train",
          .name = config_.training.name,
          .device = to_string(plan_.model),
          .config = to_json(config_)};
}

nlohmann::json TrainRun::state() const {
  nlohmann::json state = task_->state();
  state["config"] = to_json(config_);
  state["seed"] = config_.training.seed;
  state["data"] = to_json(identity_);
  state["schedule"] = to_json(schedule_);
  if (!origin_.is_null()) {
    state["init_from"] = origin_;
  }
  return state;
}

// One process reads the checkpoint: the others may be on machines that do not have it.
void TrainRun::load_newest() {
  if (config_.training.reset_training || !is_first()) {
    return;
  }
  loaded_ = checkpoints_.newest([this](const Message& warning) {
    events_.record(DamagedCheckpoint{.what = Translator().tr(warning)});
    request_.observer.on_note(warning);
  });
  if (!loaded_) {
    if (!checkpoints_.steps().empty()) {  // starting over would remove them one by one
      throw MessageError(msg::resume_none_usable{.folder = checkpoints_.path().string()});
    }
    if (config_.training.resume) {
      throw MessageError(msg::resume_none{.folder = checkpoints_.path().string()});
    }
  }
}

// The weights of another run, where this one is new.
void TrainRun::load_init_from() {
  if (is_first()) {
    initial_ =
        load_initial(config_, [this](const Message& text) { request_.observer.on_note(text); });
  }
  share_checkpoint(group_, initial_);
  if (initial_) {
    task_->begin_with(*initial_);
    origin_ = {{"folder", initial_->folder.string()}, {"step", initial_->step}};
  }
}

void TrainRun::resume() {
  load_newest();
  share_checkpoint(group_, loaded_);
  if (!loaded_) {
    load_init_from();
    return;
  }
  if (config_.training.init_from && is_first()) {
    tell(msg::init_not_used{.folder = loaded_->folder.string()});
  }
  task_->resume(*loaded_);
  origin_ = loaded_->checkpoint.state.value("init_from", nlohmann::json());
  ResumePoint point = resume_point(*loaded_, config_, identity_);
  progress_ = std::move(point.progress);
  stored_schedule_ = point.schedule;
  if (identity_.processes != group_.rank().world) {
    point.notes.push_back(note_on_processes(identity_, group_.rank().world));
  }
  for (const Message& note : point.notes) {
    tell(note);
  }
  events_.record(Resumed{.step = progress_.step, .folder = loaded_->folder.string()});
  request_.say(msg::train_resuming{.folder = loaded_->folder.string(),
                                   .step = progress_.step,
                                   .epoch = progress_.position.epoch,
                                   .batch = progress_.position.batch});
}

// What the user is told once, and the journal keeps.
void TrainRun::tell(const MessageArg& note) {
  events_.record(NoteTold{.what = Translator().said(note)});
  request_.observer.on_note(note);
}

void TrainRun::choose_rates() {
  ScheduleChoice choice = choose_schedule(config_, stored_schedule_, all_updates(), progress_.step);
  schedule_ = choice.schedule;
  if (choice.note) {
    tell(*choice.note);
  }
}

void TrainRun::make_model() {
  std::optional<Message> taken;
  stream_ = devices_.model->make_stream("train");
  stream_->submit([&] {
    // When a thread first computes, libtorch gives it the number of threads that was set last, by
    // whichever thread: ours is set behind that.
    at::internal::lazy_init_num_threads();
    at::set_num_threads(devices_.cores.model_threads);
    trained_ = &task_->make(torch_device(*devices_.model));
    if (loaded_ && is_first()) {
      load_into(*trained_, loaded_->checkpoint);
    }
    if (initial_ && is_first()) {
      taken = task_->take(*initial_);
    }
    share_weights(group_, *trained_);
  });
  stream_->synchronise();
  loaded_.reset();
  initial_.reset();
  if (taken) {
    tell(*taken);
  }
}

std::int64_t TrainRun::all_updates() const {
  return num_updates(config_.training, pipeline_->loader().batches_per_epoch());
}

// bf16 has been there since compute capability 8.0, fast fp16 since 7.0.
Precision TrainRun::precision() const {
  if (trains_vocoder(config_.training)) {  // spectra are no business of half precision
    return Precision::single;
  }
  const auto* const gpu = dynamic_cast<const CudaDevice*>(devices_.model.get());
  const bool has_bf16 = gpu != nullptr && gpu->facts().capability >= 80;
  if (!config_.training.mixed_precision.value_or(has_bf16)) {
    return Precision::single;
  }
  if (gpu == nullptr || has_bf16) {
    return Precision::bf16;
  }
  return gpu->facts().capability >= 70 ? Precision::fp16 : Precision::single;
}

TrainerOptions TrainRun::trainer_options() {
  const TrainingConfig& training = config_.training;
  return {
      .schedule = schedule_,
      .max_steps = training.max_steps.value_or(std::numeric_limits<std::int64_t>::max()),
      .batches_per_update = training.gradient_accumulation_steps,
      .save_every = training.save_every,
      .validate_every = training.validate_every,
      .render_every = training.render_every,
      .patience = training.early_stopping_patience,
      .max_skipped = training.max_skipped_steps,
      .best_by = training.best_by,
      .uses_of_batch = request_.uses_of_batch,
      .hold_batch = config_.data.pipeline_buffer_size == 0,
      .largest = largest_shape(pipeline_->loader().edges()),
      .compare_weights_every = training.compare_weights_every,
      .max_bad_fraction = config_.pipeline.max_bad_fraction,
      .save_retry = request_.save_retry,
      .step = {.precision = precision(),
               .check_every_operation = training.enable_eager_debug,
               .microbatch_size = training.microbatch_size,
               .ema_decay = training.ema_decay,
               .group = &group_,
               .exchange = {.format = training.exchange_format},
               .journal = &events_,
               .record_graphs = plan_.model.kind == DeviceKind::cuda && group_.rank().world == 1 &&
                                training.enable_graph_mode.value_or(true),
               .note = [this](const Message& note) { request_.observer.on_note(note); }}};
}

void TrainRun::open_gate(const std::stop_token& stop) {
  if (config_.data.pipeline_buffer_size != 0) {
    request_.say(describe_wait(plan_, config_.data.model_start_delay, request_.symbols));
  }
  request_.say(describe_opening(pipeline_->open_gate(stop), request_.symbols));
  request_.starting(progress_.step, all_updates());
}

void TrainRun::make_renderer() {
  if (config_.training.render_every > 0 && is_first()) {
    renderer_ = task_->make_renderer(checkpoints_.path() / "renders");
  }
}

TrainerParts TrainRun::trainer_parts() {
  TrainerParts parts{
      .device = *devices_.model,
      .stream = *stream_,
      .task = *trained_,
      .ring = pipeline_->ring(),
      .position_after = [this](const BatchId& last) { return pipeline_->position_after(last); },
      .checkpoints = checkpoints_,
      .state = state(),
      .open_gate = [this](const std::stop_token& stop) { open_gate(stop); },
      .render = nullptr,
      .observer = request_.observer,
      .journal = &events_};
  if (renderer_) {
    parts.render = [this](std::int64_t step, const TensorMap& weights) { render(step, weights); };
  }
  return parts;
}

// Nothing depends on the sound: what cannot be made or written is a note.
void TrainRun::render(std::int64_t step, const TensorMap& weights) {
  at::set_num_threads(1);  // of the thread that renders: the trainer comes first
  const Clock::time_point begin = Clock::now();
  std::optional<EvaluationRender> render;
  try {
    render = renderer_(step, weights);
  } catch (const std::exception& error) {
    tell(msg::render_left_out{.step = step, .reason = reason_of(error)});
    return;
  }
  events_.record(to_event(*render, step, seconds_since(begin)));
}

// What was asked for, for people and for the next run; the run itself does not need the file.
void TrainRun::write_config() {
  const std::filesystem::path yaml = checkpoints_.path() / "run.yaml";
  try {
    write_text_file(yaml, to_yaml(request_.config));
  } catch (const Error& refused) {
    tell(msg::file_left_out{.reason = reason_of(refused)});
    return;
  }
  request_.say(msg::train_configuration_file{.path = yaml.string()});
}

TrainSummary TrainRun::first_summary() const {
  TrainSummary summary{
      .mode = plan_.mode,
      .model_device = to_string(plan_.model),
      .utterances = static_cast<std::int64_t>(inputs_.train->manifest.utterances.size()),
      .checkpoints = checkpoints_.path(),
      .journal = journal_path_};
  if (loaded_) {
    summary.resumed_from = progress_.step;
  }
  summary.init_from = origin_;
  return summary;
}

ExchangeSetup TrainRun::exchange_setup() const {
  const bool is_bf16 = config_.training.exchange_format == ExchangeFormat::bf16;
  std::int64_t values = 0;
  for (const TaskPart& part : trained_->parts()) {
    values += part.weights.layout.size();
  }
  return {.backend = group_.backend(),
          .precision = is_bf16 ? "bfloat16" : "float32",
          .bytes = Bytes{values * (is_bf16 ? 2 : 4)}};
}

void TrainRun::journal_run() {
  for (const CudaDeviceUsed& gpu : cuda_devices(devices_)) {
    events_.record(gpu);
  }
  events_.record(run_start(config_,
                           {.mode = plan_.mode,
                            .device = to_string(plan_.model),
                            .batches_per_epoch = pipeline_->loader().batches_per_epoch(),
                            .last_step = all_updates(),
                            .uses_of_batch = request_.uses_of_batch,
                            .rank = group_.rank().rank,
                            .world = group_.rank().world,
                            .host = group_.host(group_.rank().rank),
                            .exchange = exchange_setup()}));
}

void TrainRun::journal_end(const TrainOutcome& outcome) {
  events_.record(
      RunEnd{.ending = std::string(to_string(outcome.ending)), .step = outcome.progress.step});
}

// Null when the configuration does not want it.
std::unique_ptr<ResourceMonitor> TrainRun::watch_resources() {
  const Seconds every = config_.pipeline.monitor_every;
  return every > Seconds{0}
             ? std::make_unique<ResourceMonitor>(
                   MonitorOptions{.every = every, .data = config_.data.train_data.value_or("")},
                   events_)
             : nullptr;
}

void TrainRun::check_memory() {
  const BucketEdges& edges = pipeline_->loader().edges();
  const MemoryNeed need = memory_need(config_, make_ring_options(config_, plan_, edges), edges);
  if (const auto note = check_host_memory(need, plan_, read_host_share())) {
    request_.observer.on_note(*note);
  }
}

void TrainRun::make_pipeline() {
  pipeline_ = std::make_unique<DevicePipeline>(
      devices_,
      DevicePipelineRequest{.config = config_,
                            .plan = plan_,
                            .loader = {.set = inputs_.train,
                                       .text = inputs_.text,
                                       .speakers = inputs_.speakers,
                                       .rank = group_.rank().rank,
                                       .world = group_.rank().world,
                                       .group = identity_.processes,
                                       .is_counted_by_consumer = group_.rank().world > 1,
                                       .start = progress_.position,
                                       .journal = &events_,
                                       .around_source = request_.around_source,
                                       .on_row = request_.on_row,
                                       .predicted = task_->predicted()}});
}

// False when stopped.
bool TrainRun::prepare() {
  if (!inputs_.mel_from) {
    return true;
  }
  const PrepareRequest request{.folder = checkpoints_.path(),
                               .progress = request_.predicting,
                               .stop = request_.stop,
                               .tell = [this](const MessageArg& note) {
                                 if (is_first()) {
                                   tell(note);
                                 }
                               }};
  const bool is_done = prepare_in_turns(*task_, request, group_, request_.place.local_rank);
  if (!is_done) {
    journal_end({.ending = TrainEnding::stopped, .progress = progress_});
  }
  return is_done;
}

std::optional<TrainSummary> TrainRun::run() {
  check_same_run(group_,
                 {.inputs = inputs_,
                  .identity = identity_,
                  .network = task_->state(),
                  .precision = precision()});
  resume();
  if (is_first()) {
    write_config();
  }
  announce_plan(request_, group_, {.plan = plan_, .precision = precision()});
  TrainSummary summary = first_summary();
  const std::optional<std::int64_t> epochs = num_epochs(config_.training);
  const bool done = epochs && progress_.position.epoch >= *epochs;
  if (!done) {
    if (!prepare()) {
      return std::nullopt;
    }
    make_pipeline();  // before the model: says in words what does not fit the budgets
    check_memory();
  }
  make_model();
  summary.parameters = trained_->first().layout.num_parameters();
  if (done) {
    summary.outcome = {.ending = TrainEnding::all_epochs, .progress = progress_};
    summary.has_checkpoints = !checkpoints_.steps().empty();
    journal_end(summary.outcome);
    return summary;
  }
  choose_rates();
  make_renderer();
  task_->load_validation([this](const MessageArg& note) { request_.observer.on_note(note); });
  check_same_validation(group_, *trained_);
  journal_run();
  Trainer trainer(trainer_options(), trainer_parts(), progress_);
  std::unique_ptr<ResourceMonitor> monitor = watch_resources();
  try {
    summary.outcome = trainer.run(request_.stop);
    group_.barrier();
  } catch (const ReplicaLost&) {
    throw;
  } catch (const std::exception& error) {
    group_.fail(error.what());  // now: the others wait while this process is taken down
    throw;
  }
  monitor.reset();  // its last sample belongs to the run
  events_.record(pipeline_->reading());
  events_.record(TelemetryCost{.journal_seconds = journal_.spent().count()});
  journal_end(summary.outcome);
  summary.has_checkpoints = !checkpoints_.steps().empty();
  return summary;
}

}  // namespace

std::optional<TrainSummary> run_train(const TrainRequest& request,
                                      const ReplicaRun& replica,
                                      TrainInputs inputs) {
  return TrainRun(request, replica, std::move(inputs)).run();
}

}  // namespace qanat
