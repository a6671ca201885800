#include "validation/validate.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "app/loader_options.h"
#include "app/make_loader.h"
#include "base/error.h"
#include "device/device_lost.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"
#include "locale/messages/validate.h"
#include "session/memory_check.h"
#include "speech/mel_prediction.h"
#include "validation/validate_run.h"

namespace qanat {
namespace {

double megabytes(Bytes bytes) {
  return static_cast<double>(bytes.value) / (1024.0 * 1024.0);
}

// Without GPU numbers: two GPUs where there are as many, else the device that a run would take.
RunConfig complete(RunConfig config) {
  const Hardware hardware = find_hardware(config);
  const bool has_two = std::max(hardware.cuda_gpus, hardware.virtual_gpus) >= 2;
  if (!config.data.data_gpu && !config.data.model_gpu && has_two) {
    config.data.data_gpu = 0;
    config.data.model_gpu = 1;
  }
  return config;
}

// What the short runs train: on the mel of the recordings, where the run would predict another.
RunConfig of_short_runs(RunConfig config) {
  config.vocoder.mel_from.reset();
  return config;
}

RunConfig without_data_gpu(RunConfig config) {
  config.data.data_gpu.reset();
  config.data.model_gpu.reset();
  return config;
}

std::vector<Turn> to_turns(const std::vector<ModeRun>& runs) {
  std::vector<Turn> turns;
  for (const ModeRun& run : runs) {
    turns.push_back({.rate = run.steps_per_s,
                     .idle_share = 1 - run.model_busy,
                     .device_cores = run.device_cores,
                     .others_share = run.others_share});
  }
  return turns;
}

// The checks share what the earlier ones made.
class Validation {
 public:
  explicit Validation(const ValidateRequest& request)
      : request_(request), config_(complete(request.config)) {}

  ValidationReport run() {
    check(msg::validate_prerequisites{}, &Validation::check_prerequisites);
    check(msg::validate_placement{}, &Validation::check_placement);
    check(msg::validate_model_check{}, &Validation::check_model);
    check(msg::validate_transfer{}, &Validation::check_transfer);
    check(msg::validate_run{}, &Validation::check_run);
    return std::move(report_);
  }

 private:
  using Body = void (Validation::*)(ValidationCheck&);

  void check(Message name, Body body) {
    ValidationCheck check{.number = static_cast<int>(report_.checks.size()) + 1,
                          .name = std::move(name)};
    if (may_go_on_ && !request_.stop.stop_requested()) {
      try {
        check.outcome = CheckOutcome::pass;
        (this->*body)(check);
      } catch (const DeviceLost& error) {
        check.outcome = CheckOutcome::fail;
        check.facts.push_back({.name = msg::validate_failed{}, .value = reason_of(error)});
        report_.device_lost = true;
        may_go_on_ = false;
      } catch (const std::exception& error) {
        check.outcome = CheckOutcome::fail;
        check.facts.push_back({.name = msg::validate_failed{}, .value = reason_of(error)});
        may_go_on_ = false;
      }
    }
    if (request_.on_check) {
      request_.on_check(check);
    }
    report_.checks.push_back(std::move(check));
  }

  void check_prerequisites(ValidationCheck& check);
  void check_mel_source(ValidationCheck& check);
  void check_placement(ValidationCheck& check);
  void check_model(ValidationCheck& check);
  void check_transfer(ValidationCheck& check);
  void check_run(ValidationCheck& check);
  void run_turns();
  Bytes largest_batch() const;
  std::optional<ModeRun> trial(const RunConfig& config) const;
  static void describe(const ModeRun& run, Message mode, ValidationCheck& check);

  const ValidateRequest& request_;
  const RunConfig config_;
  const HostFacts host_ = read_host_facts();
  TrainInputs inputs_;
  DevicePlan plan_;
  RunDevices devices_;
  bool may_go_on_ = true;
  ValidationReport report_;
};

void Validation::check_prerequisites(ValidationCheck& check) {
  const Hardware hardware = find_hardware(config_);
  const int cores = allowed_cores(host_);
  check.facts.push_back(
      {.name = msg::validate_machine{},
       .parts = {{.key = "cores", .name = msg::validate_cores{}, .value = cores},
                 {.key = "gpus", .name = msg::validate_gpus{}, .value = hardware.cuda_gpus},
                 {.key = "virtual_gpus",
                  .name = msg::validate_virtual_gpus{},
                  .value = hardware.virtual_gpus}}});
  std::optional<TrainInputs> inputs = load_train_inputs(config_, nullptr, request_.stop);
  if (!inputs) {
    throw MessageError(msg::validate_stopped{});
  }
  inputs_ = *std::move(inputs);
  const std::size_t validating =
      inputs_.validation ? inputs_.validation->manifest.utterances.size() : 0;
  check.facts.push_back(
      {.name = msg::validate_usable{},
       .parts = {
           {.key = "utterances", .value = inputs_.train->manifest.utterances.size() + validating},
           {.value = *config_.data.train_data}}});
  for (const MessageArg& note : inputs_.notes) {
    check.facts.push_back({.name = msg::validate_note{}, .value = Value(note)});
  }
  check_mel_source(check);
}

// It is there, and fits. What it predicts would take as long as in the run: the short runs do
// without.
void Validation::check_mel_source(ValidationCheck& check) {
  if (!reads_predicted_mel(config_)) {
    return;
  }
  const MelSource source = find_mel_source(*config_.vocoder.mel_from, [&](const Message& warning) {
    check.facts.push_back({.name = msg::validate_note{}, .value = Value(warning)});
  });
  check.facts.push_back(
      {.name = msg::validate_note{},
       .value = msg::validate_mel_from{.folder = source.folder.string(), .step = source.step}});
}

void Validation::check_placement(ValidationCheck& check) {
  plan_ = plan_devices(config_, find_hardware(config_));
  devices_ = make_devices(config_, plan_, host_);
  for (const Message& note : plan_.notes) {
    check.facts.push_back({.name = msg::validate_note{}, .value = Value(note)});
  }
  check.facts.push_back({.name = msg::validate_model{},
                         .parts = {{.key = "model", .value = to_string(plan_.model)},
                                   {.value = devices_.model->description()}}});
  if (!plan_.data) {
    check.facts.push_back({.key = "data", .value = figure_of(nullptr)});
    return;
  }
  check.facts.push_back({.name = msg::validate_data{},
                         .parts = {{.key = "data", .value = to_string(*plan_.data)},
                                   {.value = devices_.data->description()}}});
}

void Validation::check_model(ValidationCheck& check) {
  const PlacementFigures figures = try_model(devices_, config_, inputs_);
  check.facts = {
      {.key = "parameters", .name = msg::validate_parameters{}, .value = figures.parameters},
      {.key = "model_mb",
       .name = msg::validate_model_memory{.device = to_string(plan_.model)},
       .value = {in_bytes(static_cast<double>(figures.model_used.value)),
                 megabytes(figures.model_used)}},
      {.key = "on_data_mb", .value = figure_of(megabytes(figures.data_used))},
      {.key = "busy_s",
       .name = msg::validate_model_work{},
       .value = in_seconds(figures.model_busy.count())}};
  const Bytes weights{figures.parameters * 4};
  if (figures.model_used < weights || figures.model_busy <= Seconds{0}) {
    throw MessageError(msg::validate_not_placed{.device = to_string(plan_.model),
                                                .used = plain(megabytes(figures.model_used), 1),
                                                .weights = plain(megabytes(weights), 1)});
  }
  if (figures.data_used > Bytes{0}) {
    throw MessageError(msg::validate_on_data{.used = plain(megabytes(figures.data_used), 1)});
  }
  const MemoryUse use = devices_.model->memory().use();
  check.facts.push_back({.key = "peak_mb", .value = figure_of(megabytes(use.high_water))});
}

Bytes Validation::largest_batch() const {
  const BatchingConfig batching =
      make_loader_options(config_, host_, /*consumer_threads=*/0).batching;
  const BucketEdges edges = choose_edges(row_lengths(config_, inputs_.train->index), batching);
  return make_ring_options(config_, plan_, edges).slot_bytes;
}

void Validation::check_transfer(ValidationCheck& check) {
  const Bytes bytes = largest_batch();
  Device& model = *devices_.model;
  Device& other = devices_.data ? *devices_.data : model;
  const bool two = devices_.data != nullptr;
  for (const auto& [name, from, to] :
       {std::tuple("data_to_model", &other, &model), std::tuple("model_to_data", &model, &other)}) {
    const CopyFigures copy = measure_copy(*from, *to, bytes);
    check.facts.push_back(
        {.key = name,
         .name = msg::validate_copy{.source = to_string(from->id()), .target = to_string(to->id())},
         .parts = {{.key = "gigabytes_per_s",
                    .value = {msg::validate_gigabytes{.rate = plain(copy.gigabytes_per_s, 2)},
                              copy.gigabytes_per_s}},
                   {.key = "per_batch_s",
                    .value = {msg::validate_per_batch{
                                  .time = in_seconds(copy.per_batch.count()),
                                  .bytes = in_bytes(static_cast<double>(bytes.value))},
                              copy.per_batch.count()}},
                   {.key = "exact", .value = figure_of(copy.exact)}}});
    if (!copy.exact) {
      throw MessageError(msg::validate_copy_differs{.source = to_string(from->id()),
                                                    .target = to_string(to->id())});
    }
  }
  const bool emulated = plan_.model.kind != DeviceKind::cuda;
  const bool direct = two && model.reaches(other);
  check.facts.push_back({.key = "p2p",
                         .name = msg::validate_p2p{},
                         .value = {!two       ? Message(msg::validate_p2p_one{})
                                   : emulated ? Message(msg::validate_p2p_emulated{})
                                   : direct   ? Message(msg::validate_p2p_yes{})
                                              : Message(msg::validate_p2p_no{}),
                                   direct}});
}

std::optional<ModeRun> Validation::trial(const RunConfig& config) const {
  RunConfig endless = config;
  endless.training.epochs = 1'000'000;  // the steps end it
  endless.pipeline.feature_cache = Megabytes{0};
  endless.data.preprocessing_mode = PreprocessingMode::runtime;
  return run_trial({.config = endless,
                    .inputs = inputs_,
                    .steps = request_.steps,
                    .stop = request_.stop,
                    .progress = request_.progress});
}

void Validation::describe(const ModeRun& run, Message mode, ValidationCheck& check) {
  std::vector<Fact> parts{{.value = msg::validate_steps{.rate = plain(run.steps_per_s, 2)}},
                          {.value = msg::validate_rows{.rate = plain(run.rows_per_s, 1)}},
                          {.value = msg::validate_model_busy{.share = in_percent(run.model_busy)}},
                          {.value = msg::validate_wait{.share = in_percent(run.wait_share, 1)}},
                          {.value = msg::validate_loss{.first = plain(run.first_loss, 2),
                                                       .last = plain(run.last_loss, 2)}}};
  if (run.data_busy) {
    parts.push_back({.value = msg::validate_data_busy{.share = in_percent(*run.data_busy)}});
  }
  check.facts.push_back({.name = std::move(mode), .parts = std::move(parts)});
}

// The modes in turns: what the machine does besides meets all.
void Validation::run_turns() {
  std::vector<ModeRun> single;
  std::vector<ModeRun> dual;
  std::vector<ModeRun> replicas;
  bool has_replicas = plan_.data && request_.run_replicas;
  const int turns = plan_.data ? request_.rounds : 1;
  const auto require = [this](std::optional<ModeRun> run) {
    if (!run || request_.stop.stop_requested()) {
      throw MessageError(msg::validate_stopped{});
    }
    return *std::move(run);
  };
  const RunConfig config = of_short_runs(config_);
  for (int i = 0; i < turns; ++i) {
    single.push_back(require(trial(without_data_gpu(config))));
    if (plan_.data) {
      dual.push_back(require(trial(config)));
    }
    if (has_replicas) {
      const std::optional<ModeRun> run = request_.run_replicas(without_data_gpu(config));
      has_replicas = run.has_value();  // one that failed would fail again
      if (run) {
        replicas.push_back(*run);
      }
    }
  }
  report_.single = mean_run(single);
  if (!dual.empty()) {
    report_.dual = mean_run(dual);
    report_.comparison = compare_turns(to_turns(dual), to_turns(single));
  }
  if (!replicas.empty()) {
    constexpr int kReplicas = 2;
    report_.replicas = mean_run(replicas);
    report_.replicas_comparison =
        of_replicas(compare_turns(to_turns(replicas), to_turns(single)), kReplicas);
  }
}

void Validation::check_run(ValidationCheck& check) {
  devices_ = {};  // the runs make their own
  run_turns();
  describe(*report_.single, msg::validate_single{}, check);
  if (!report_.dual) {
    check.facts.push_back({.name = msg::validate_dual{}, .value = msg::validate_not_run{}});
    return;
  }
  describe(*report_.dual, msg::validate_dual{}, check);
  check.facts.push_back({.name = msg::validate_verdict{}, .value = mode_verdict(report_)});
  if (report_.replicas) {
    describe(*report_.replicas, msg::validate_replica{}, check);
    check.facts.push_back({.name = msg::validate_best{}, .value = best_use_verdict(report_)});
  }
  if (report_.dual->data_busy.value_or(0) <= 0) {
    throw MessageError(msg::validate_data_idle{});
  }
}

}  // namespace

ValidationReport validate(const ValidateRequest& request) {
  return Validation(request).run();
}

}  // namespace qanat
