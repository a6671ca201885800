#include "diagnosing/diagnose_session.h"

#include <mutex>
#include <utility>

#include "base/url.h"
#include "diagnosing/diagnose_data.h"
#include "diagnosing/diagnose_host.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/full_diagnosis.h"
#include "locale/messages/verdicts.h"
#include "monitor/resource_monitor.h"
#include "session/run_devices.h"
#include "training/deadline.h"
#include "training/measured_run.h"
#include "training/train_inputs.h"

namespace qanat {
namespace {

// Adds what is journalled to a summary, as if it had been read from a file.
class SeenEvents final : public EventSink {
 public:
  void record(const JournalEvent& event) override {
    const Seconds at = seconds_since(begin_);
    const std::lock_guard lock(mutex_);
    if (const auto* const host = std::get_if<HostSample>(&event)) {
      // Each counts: nothing trains.
      add_sample(*host, at, {.has_steps = true}, summary_.host);
    } else {
      summary_.add({.at = at, .event = event});
    }
  }
  // When nobody records any more.
  RunSummary take() { return std::move(summary_); }

 private:
  const Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;  // guards summary_
  RunSummary summary_;
};

Section skipped_loader(MessageArg why) {
  return {.key = "loader", .title = msg::diagnose_loader{}, .skipped = std::move(why)};
}
Section skipped_storage(MessageArg why) {
  return {.key = "storage", .title = msg::diagnose_storage{}, .skipped = std::move(why)};
}

// One diagnosis, section by section.
class Session {
 public:
  explicit Session(const DiagnoseRequest& request)
      : request_(request), config_(request.config.values) {}

  std::optional<FullDiagnosis> run();

 private:
  bool stopped() const { return request_.stop.stop_requested(); }
  void say(const Message& line) const {
    if (request_.say) {
      request_.say(line);
    }
  }
  ProgressFn progress(const Message& what, const Message& unit) const {
    return request_.progress ? request_.progress(what, unit) : ProgressFn();
  }
  void look_at_data();
  void measure_data();
  void train();
  void check_devices();
  void judge();

  const DiagnoseRequest& request_;
  const RunConfig& config_;
  FullDiagnosis full_;
  SetupFacts setup_;
  SeenEvents seen_;     // without training
  RunSummary summary_;  // what is judged
  Section storage_ = skipped_storage(msg::diagnose_no_data{});
  std::optional<StorageReading> storage_reading_;
  std::optional<TrainInputs> inputs_;
};

void Session::measure_data() {
  const bool quick = request_.depth == DiagnoseDepth::quick;
  say(msg::stage_measuring_storage{});
  StorageResult storage =
      storage_section(*inputs_->train, Seconds{quick ? 1.0 : 4.0}, request_.stop);
  storage_ = std::move(storage.section);
  storage_reading_ = std::move(storage.reading);
  say(msg::stage_measuring_loader{});
  full_.sections.push_back(loader_section(
      config_, inputs_->train, inputs_->text, Seconds{quick ? 1.0 : 4.0}, request_.stop));
}

void Session::look_at_data() {
  if (!config_.data.train_data) {
    full_.sections.push_back(
        {.key = "data set", .title = msg::diagnose_data_set{}, .skipped = msg::diagnose_no_data{}});
    full_.sections.push_back(skipped_loader(msg::diagnose_no_data{}));
    return;
  }
  if (!is_url(*config_.data.train_data) && !std::filesystem::exists(*config_.data.train_data)) {
    throw MessageError(msg::diagnose_no_such_data{.data = *config_.data.train_data});
  }
  say(msg::stage_checking_data{});
  std::optional<DataSetResult> checked = data_set_section(
      config_, progress(msg::stage_checking_data{}, msg::progress_utterances{}), request_.stop);
  if (!checked) {
    return;
  }
  const bool unusable = checked->section.skipped.has_value();
  setup_.data_set = checked->facts;
  full_.sections.push_back(std::move(checked->section));
  if (unusable) {
    storage_ = skipped_storage(msg::diagnose_data_unusable{});
    full_.sections.push_back(skipped_loader(msg::diagnose_data_unusable{}));
    return;
  }
  try {
    inputs_ = load_train_inputs(config_, {}, request_.stop);
    if (inputs_) {
      measure_data();
    }
  } catch (const Error& error) {
    storage_ = skipped_storage(reason_of(error));
    full_.sections.push_back(skipped_loader(reason_of(error)));
  }
}

// A short run of the trainer, whose journal is what the rules judge.
void Session::train() {
  Section section{.key = "compute path", .title = msg::diagnose_compute{}};
  if (request_.depth == DiagnoseDepth::quick) {
    section.skipped = msg::diagnose_quick{};
  } else if (!inputs_) {
    section.skipped = config_.data.train_data ? Message(msg::diagnose_data_unusable{})
                                              : Message(msg::diagnose_no_data{});
  }
  if (section.skipped) {
    full_.sections.push_back(std::move(section));
    return;
  }
  say(msg::stage_training_for{.steps = request_.steps});
  try {
    LoadedConfig config = request_.config;
    config.values.pipeline.monitor_every = Seconds{0.5};  // a short run is looked at more often
    const Deadline limit(time_after(request_.timeout), request_.stop);
    std::optional<MeasuredRun> run =
        run_measured({.config = std::move(config),
                      .steps = request_.steps,
                      .folder = request_.folder,
                      .progress = progress(msg::progress_training{}, msg::progress_steps{}),
                      .stop = limit.token(),
                      .inputs = &*inputs_});
    if (run) {
      full_.measured = true;
      summary_ = std::move(run->run_summary);
      section.facts = {{.name = msg::compute_trained{},
                        .value = msg::compute_trained_value{.done = run->summary.outcome.steps,
                                                            .steps = request_.steps,
                                                            .device = run->summary.model_device}},
                       {.name = msg::compute_parameters{}, .value = run->summary.parameters}};
    } else {
      section.skipped = msg::diagnose_no_step{.longest = request_.timeout};
    }
  } catch (const Error& error) {
    section.skipped = reason_of(error);
  }
  full_.sections.push_back(std::move(section));
}

// The GPUs that were asked for, if they are there.
void Session::check_devices() {
  try {
    (void)plan_devices(config_, find_hardware(config_));
  } catch (const Error& error) {
    setup_.device_problem = reason_of(error);
  }
}

void Session::judge() {
  summary_.storage = storage_reading_;
  summary_.setup = std::move(setup_);
  full_.diagnosis = diagnose_run(summary_);
  if (!full_.measured) {
    full_.diagnosis.why = msg::why_nothing_trained{};
  }
}

std::optional<FullDiagnosis> Session::run() {
  const HostFacts host = read_host_facts(request_.root);
  say(msg::stage_looking_at_machine{});
  {
    const ResourceMonitor monitor({.every = Seconds{0.5},
                                   .data = config_.data.train_data.value_or(""),
                                   .root = request_.root,
                                   .nvml = {.root = request_.root}},
                                  seen_);
    setup_ = setup_facts(request_.config, host);
    check_devices();
    full_.sections.push_back(configuration_section(request_.config, setup_));
    look_at_data();
  }
  if (stopped()) {
    return std::nullopt;
  }
  summary_ = seen_.take();
  Section hardware = hardware_section(summary_);
  full_.sections.insert(full_.sections.begin(), std::move(hardware));
  train();
  if (stopped()) {
    return std::nullopt;
  }
  full_.sections.push_back(memory_section(config_, host, summary_));
  full_.sections.push_back(std::move(storage_));
  full_.sections.push_back(runtime_section(summary_, config_));
  judge();
  return std::move(full_);
}

}  // namespace

std::optional<FullDiagnosis> run_diagnosis(const DiagnoseRequest& request) {
  return Session(request).run();
}

}  // namespace qanat
