#include "validation/validate.h"

#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/dataset_sources.h"
#include "base/error.h"
#include "device/device_lost.h"
#include "pipeline/audio_row_source.h"
#include "session/memory_check.h"
#include "train/model_preset.h"
#include "validation/validate_run.h"

namespace qanat {
namespace {

double megabytes(Bytes bytes) {
  return static_cast<double>(bytes.value) / (1024.0 * 1024.0);
}

RunConfig complete(RunConfig config) {
  if (!config.data.data_gpu && !config.data.model_gpu) {
    config.data.data_gpu = 0;
    config.data.model_gpu = 1;
  }
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
    check("prerequisites", &Validation::check_prerequisites);
    check("placement", &Validation::check_placement);
    check("model on the model GPU", &Validation::check_model);
    check("transfer between GPUs", &Validation::check_transfer);
    check("short run of the pipeline", &Validation::check_run);
    return std::move(report_);
  }

 private:
  using Body = void (Validation::*)(ValidationCheck&);

  void check(const char* name, Body body) {
    ValidationCheck check{.number = static_cast<int>(report_.checks.size()) + 1, .name = name};
    if (may_go_on_ && !request_.stop.stop_requested()) {
      try {
        check.outcome = CheckOutcome::pass;
        (this->*body)(check);
      } catch (const DeviceLost& error) {
        check.outcome = CheckOutcome::fail;
        check.findings.emplace_back(error.what());
        report_.device_lost = true;
        may_go_on_ = false;
      } catch (const std::exception& error) {
        check.outcome = CheckOutcome::fail;
        check.findings.emplace_back(error.what());
        may_go_on_ = false;
      }
    }
    if (request_.on_check) {
      request_.on_check(check);
    }
    report_.checks.push_back(std::move(check));
  }

  void check_prerequisites(ValidationCheck& check);
  void check_placement(ValidationCheck& check);
  void check_model(ValidationCheck& check);
  void check_transfer(ValidationCheck& check);
  void check_run(ValidationCheck& check);
  void run_turns();
  ModelShape shape() const {
    return model_shape(to_preset(config_.model.size), text_->tokenizer().size());
  }
  Bytes largest_batch() const;
  std::optional<ModeRun> trial(const RunConfig& config) const;
  static void describe(const ModeRun& run, ValidationCheck& check);

  const ValidateRequest& request_;
  const RunConfig config_;
  const HostFacts host_ = read_host_facts();
  const std::shared_ptr<const TextFrontEnd> text_ = std::make_shared<const TextFrontEnd>();
  std::shared_ptr<const UtteranceSet> set_;
  DevicePlan plan_;
  RunDevices devices_;
  bool may_go_on_ = true;
  ValidationReport report_;
};

void Validation::check_prerequisites(ValidationCheck& check) {
  const Hardware hardware = find_hardware(config_);
  const int cores = allowed_cores(host_);
  check.findings.push_back(fmt::format("{} cores for this process, {} GPUs, {} virtual GPUs",
                                       cores,
                                       hardware.cuda_gpus,
                                       hardware.virtual_gpus));
  TrainingSetOptions options = make_training_set_options(config_, host_);
  options.index.stop = request_.stop;
  std::optional<UtteranceSet> set = load_utterance_set(
      *config_.data.train_data, options, make_index_sources(*text_, kMel.sample_rate));
  if (!set) {
    throw Error("stopped");
  }
  set_ = std::make_shared<const UtteranceSet>(std::move(*set));
  const std::size_t count = set_->manifest.utterances.size();
  check.findings.push_back(
      fmt::format("{} usable utterances in {}", count, *config_.data.train_data));
  check.figures.update({{"cores", cores},
                        {"gpus", hardware.cuda_gpus},
                        {"virtual_gpus", hardware.virtual_gpus},
                        {"utterances", count}});
}

void Validation::check_placement(ValidationCheck& check) {
  plan_ = plan_devices(config_, find_hardware(config_));
  devices_ = make_devices(config_, plan_, host_);
  for (const std::string& note : plan_.notes) {
    check.findings.push_back(note);
  }
  check.findings.push_back(
      fmt::format("model: {}, {}", to_string(plan_.model), devices_.model->description()));
  check.figures = {{"model", to_string(plan_.model)}, {"data", nullptr}};
  if (plan_.data) {
    check.findings.push_back(
        fmt::format("data:  {}, {}", to_string(*plan_.data), devices_.data->description()));
    check.figures["data"] = to_string(*plan_.data);
  }
}

void Validation::check_model(ValidationCheck& check) {
  const PlacementFigures figures = try_model(devices_, shape());
  check.findings.push_back(fmt::format("{} parameters, {:.1f} MB on {}, {:.0f} ms of work there",
                                       figures.parameters,
                                       megabytes(figures.model_used),
                                       to_string(plan_.model),
                                       figures.model_busy.count() * 1e3));
  check.figures = {{"parameters", figures.parameters},
                   {"model_mb", megabytes(figures.model_used)},
                   {"on_data_mb", megabytes(figures.data_used)},
                   {"busy_s", figures.model_busy.count()}};
  const Bytes weights{figures.parameters * 4};
  if (figures.model_used < weights || figures.model_busy <= Seconds{0}) {
    throw Error("the model is not on {}: {:.1f} MB are in use there, its weights alone take {:.1f}",
                to_string(plan_.model),
                megabytes(figures.model_used),
                megabytes(weights));
  }
  if (figures.data_used > Bytes{0}) {
    throw Error("the model took {:.1f} MB on the data GPU; expected none",
                megabytes(figures.data_used));
  }
  const MemoryUse use = devices_.model->memory().use();
  check.figures["peak_mb"] = megabytes(use.high_water);
}

Bytes Validation::largest_batch() const {
  const BatchingConfig batching =
      make_loader_options(config_, host_, /*consumer_threads=*/0).batching;
  const BucketEdges edges = choose_edges(item_lengths(set_->index, kMel), batching);
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
    check.findings.push_back(fmt::format("{} to {}: {:.2f} GB/s, {:.3f} ms per batch of {:.2f} MB",
                                         to_string(from->id()),
                                         to_string(to->id()),
                                         copy.gigabytes_per_s,
                                         copy.per_batch.count() * 1e3,
                                         megabytes(bytes)));
    check.figures[name] = {{"gigabytes_per_s", copy.gigabytes_per_s},
                           {"per_batch_s", copy.per_batch.count()},
                           {"exact", copy.exact}};
    if (!copy.exact) {
      throw Error("copy from {} to {}: the bytes that arrived are not those that were sent",
                  to_string(from->id()),
                  to_string(to->id()));
    }
  }
  const bool emulated = plan_.model.kind != DeviceKind::cuda;
  const bool direct = two && model.reaches(other);
  check.figures["p2p"] = direct;
  check.findings.emplace_back(!two       ? "P2P: no, there is only one device"
                              : emulated ? "P2P: yes (emulated: both lie in the host's memory)"
                              : direct   ? "P2P: yes"
                                         : "P2P: no, batches take a way through the host");
}

std::optional<ModeRun> Validation::trial(const RunConfig& config) const {
  RunConfig endless = config;
  endless.training.epochs = 1'000'000;  // the steps end it
  endless.pipeline.feature_cache = Megabytes{0};
  endless.data.preprocessing_mode = PreprocessingMode::runtime;
  return run_trial({.config = endless,
                    .loader = {.set = set_, .text = text_},
                    .shape = shape(),
                    .steps = request_.steps,
                    .stop = request_.stop,
                    .progress = request_.progress});
}

void Validation::describe(const ModeRun& run, ValidationCheck& check) {
  check.findings.push_back(
      fmt::format("{:<8}", run.mode + ":") +
      fmt::format("{:.2f} steps/s, {:.1f} utterances/s, model device busy {:.0f} %, waiting for "
                  "data {:.1f} %, loss {:.2f} to {:.2f}",
                  run.steps_per_s,
                  run.rows_per_s,
                  100 * run.model_busy,
                  100 * run.wait_share,
                  run.first_loss,
                  run.last_loss));
  if (run.data_busy) {
    check.findings.push_back(
        fmt::format("        data device busy {:.0f} %", 100 * *run.data_busy));
  }
}

// Both modes in turns: what the machine does besides meets both.
void Validation::run_turns() {
  std::vector<ModeRun> single;
  std::vector<ModeRun> dual;
  const int turns = plan_.data ? request_.rounds : 1;
  for (int i = 0; i < turns; ++i) {
    for (std::vector<ModeRun>* const runs : {&single, &dual}) {
      const bool is_dual = runs == &dual;
      if (is_dual && !plan_.data) {
        continue;
      }
      std::optional<ModeRun> run = trial(is_dual ? config_ : without_data_gpu(config_));
      if (!run) {
        throw Error("stopped");
      }
      runs->push_back(*std::move(run));
    }
  }
  report_.single = mean_run(single);
  if (!dual.empty()) {
    report_.dual = mean_run(dual);
    report_.comparison = compare_turns(to_turns(dual), to_turns(single));
  }
}

void Validation::check_run(ValidationCheck& check) {
  devices_ = {};  // the runs make their own
  run_turns();
  describe(*report_.single, check);
  if (!report_.dual) {
    check.findings.emplace_back("dual was not run: there are no two devices");
    return;
  }
  describe(*report_.dual, check);
  check.findings.push_back(mode_verdict(report_));
  if (report_.dual->data_busy.value_or(0) <= 0) {
    throw Error("the data GPU did nothing; expected it to make the features");
  }
}

}  // namespace

ValidationReport validate(const ValidateRequest& request) {
  return Validation(request).run();
}

}  // namespace qanat
