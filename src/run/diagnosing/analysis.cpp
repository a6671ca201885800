#include "diagnosing/analysis.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "app/loader_options.h"
#include "app/run_page.h"
#include "base/files.h"
#include "config/field_list.h"
#include "config/write_config.h"
#include "dataset/dataset_check.h"
#include "dataset/index_cache.h"
#include "diagnosing/diagnose_session.h"
#include "experiment/data_profile_run.h"
#include "history/run_history.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/full_diagnosis.h"
#include "metrics/journal.h"
#include "report/dataset_document.h"
#include "report/full_diagnosis.h"
#include "report/profile_report.h"
#include "training/deadline.h"
#include "training/profile_run.h"

namespace qanat {
namespace {

// The analysis between its first part and its last.
class Analyzer {
 public:
  explicit Analyzer(const AnalysisRequest& request);

  Analysis run();

 private:
  struct PartPlan {
    const char* name;
    MessageId title;
    double until;  // share of the budget that is over when it ends
    // Whether there was anything to measure.
    bool (Analyzer::*measure)(AnalysisPart& part, const std::stop_token& stop);
  };
  static const std::array<PartPlan, 6> kParts;

  void run_part(std::size_t index);
  void show(const Document& document, AnalysisPart& part) const;
  std::optional<MessageArg> why_not_done(bool measured, bool in_time) const;
  bool look_at_machine(AnalysisPart& part, const std::stop_token& stop);
  bool check_data(AnalysisPart& part, const std::stop_token& stop);
  bool profile_steps(AnalysisPart& part, const std::stop_token& stop);
  bool load_set(const std::stop_token& stop);
  bool profile_loader(AnalysisPart& part, const std::stop_token& stop);
  bool sweep(AnalysisPart& part, const std::stop_token& stop);
  bool profile_devices(AnalysisPart& part, const std::stop_token& stop);
  ProgressFn progress(const AnalysisPart& part, const Message& unit) const;
  std::filesystem::path sweep_journal() const;
  void write_page() const;
  void write_report() const;

  const AnalysisRequest& request_;
  const Clock::time_point begin_ = Clock::now();
  std::optional<double> step_;      // s, measured
  std::optional<ProfiledSet> set_;  // what the loader is profiled with; read when first needed
  Analysis analysis_;
};

const std::array<Analyzer::PartPlan, 6> Analyzer::kParts = {
    {{"machine", msg::analysis_machine::id, 0.1, &Analyzer::look_at_machine},
     {"data", msg::analysis_data::id, 0.2, &Analyzer::check_data},
     {"step", msg::analysis_step::id, 0.55, &Analyzer::profile_steps},
     {"loader", msg::analysis_loader::id, 0.65, &Analyzer::profile_loader},
     {"sweep", msg::analysis_sweep::id, 0.75, &Analyzer::sweep},
     {"dual", msg::analysis_dual::id, 1.0, &Analyzer::profile_devices}}};

Analyzer::Analyzer(const AnalysisRequest& request) : request_(request) {
  make_folders(request.folder, "--out");
  for (const PartPlan& plan : kParts) {
    analysis_.parts.push_back(
        {.name = plan.name, .title = {plan.title}, .note = msg::analysis_not_reached{}});
  }
  write_text_file(request_.folder / "run.yaml", to_yaml(request_.config));
  write_report();
}

Analysis Analyzer::run() {
  for (std::size_t i = 0; i < kParts.size() && !request_.stop.stop_requested(); ++i) {
    run_part(i);
    write_report();
  }
  return std::move(analysis_);
}

std::optional<MessageArg> Analyzer::why_not_done(bool measured, bool in_time) const {
  if (in_time) {
    return measured ? std::nullopt : std::optional<MessageArg>(msg::analysis_little{});
  }
  return request_.stop.stop_requested() ? Message(msg::analysis_stopped{})
                                        : Message(msg::analysis_budget{});
}

void Analyzer::run_part(std::size_t index) {
  AnalysisPart& part = analysis_.parts[index];
  if (request_.say) {
    request_.say(msg::part_begins{.part = index + 1, .parts = kParts.size(), .what = part.title});
  }
  const auto share =
      std::chrono::duration_cast<Clock::duration>(request_.budget * kParts[index].until);
  const Deadline deadline(begin_ + share, request_.stop);
  try {
    const bool measured = (this->*kParts[index].measure)(part, deadline.token());
    const bool in_time = !deadline.token().stop_requested();
    part.status = !measured ? PartStatus::missing
                  : in_time ? PartStatus::done
                            : PartStatus::cut_short;
    part.note = why_not_done(measured, in_time);
  } catch (const Error& error) {
    part.status = PartStatus::failed;
    part.note = reason_of(error);
  }
}

void Analyzer::show(const Document& document, AnalysisPart& part) const {
  part.text = render_text(document, request_.words);
  part.json = render_json(document);
}

// `qanat diagnose` without its training: the parts behind this one train.
bool Analyzer::look_at_machine(AnalysisPart& part, const std::stop_token& stop) {
  const std::optional<FullDiagnosis> full =
      run_diagnosis({.config = request_.config, .depth = DiagnoseDepth::quick, .stop = stop});
  if (!full) {
    return false;
  }
  part.text = render_text(*full, request_.words);
  part.json = to_json(*full);
  part.findings = full->diagnosis.findings;
  return true;
}

bool Analyzer::check_data(AnalysisPart& part, const std::stop_token& stop) {
  TextFrontEnd text(make_text_config(request_.config.values.data));
  CheckOptions options = make_check_options(request_.config.values, read_host_facts());
  options.stop = stop;
  options.sound_progress = progress(part, msg::progress_utterances{});
  const std::optional<DatasetReport> report =
      check_dataset(options, make_check_sources(text, kMel.sample_rate));
  if (!report) {
    return false;
  }
  part.text = render_text(to_document(*report, 20), request_.words, Bars::ascii);
  part.json = render_json(to_document(*report));
  return true;
}

bool Analyzer::profile_steps(AnalysisPart& part, const std::stop_token& stop) {
  const std::optional<StepProfile> profile =
      run_step_profile({.config = request_.config,
                        .steps = request_.steps,
                        .folder = request_.folder / "journals" / "step",
                        .progress = progress(part, msg::progress_steps{}),
                        .stop = stop});
  if (!profile) {
    return false;
  }
  show(to_document(*profile), part);
  part.findings = profile->diagnosis.findings;
  if (profile->diagnosis.measures.mean_step > 0) {
    step_ =
        profile->diagnosis.measures.mean_step - profile->diagnosis.measures.breakdown.wait.count();
  }
  write_page();
  return true;
}

// False when stopped.
bool Analyzer::load_set(const std::stop_token& stop) {
  if (!set_) {
    set_ = load_profiled_set(request_.config.values, nullptr, stop);
  }
  return set_.has_value();
}

bool Analyzer::profile_loader(AnalysisPart& part, const std::stop_token& stop) {
  if (!load_set(stop)) {
    return false;
  }
  std::optional<DataMeasurement> measured =
      measure_loader({.config = request_.config.values,
                      .data = *set_,
                      .batches = 3 * request_.steps,
                      .step = step_ ? std::optional(Seconds(*step_)) : std::nullopt,
                      .progress = progress(part, msg::progress_batches{}),
                      .stop = stop});
  if (!measured) {
    return false;
  }
  const DataProfile profile = profile_data(*std::move(measured));
  show(to_document(profile), part);
  if (profile.diagnosis) {
    part.findings = profile.diagnosis->findings;
  }
  return true;
}

bool Analyzer::sweep(AnalysisPart& part, const std::stop_token& stop) {
  const RunConfig& config = request_.config.values;
  if (!load_set(stop)) {
    return false;
  }
  const HostFacts host = read_host_facts();
  std::filesystem::create_directories(sweep_journal().parent_path());
  RunJournal journal(sweep_journal(), {.command = "analyze", .config = to_json(config)});
  const SweepReport report = sweep_loader({.config = config,
                                           .data = *set_,
                                           .batches = default_sweep_batches(config),
                                           .workers = default_sweep_workers(host),
                                           .budget = request_.budget,
                                           .visit = Seconds{0.25},
                                           .progress = progress(part, msg::progress_visits{}),
                                           .stop = stop,
                                           .host = host,
                                           .journal = &journal});
  show(to_document(report), part);
  write_page();
  return report.choice.has_value();
}

bool Analyzer::profile_devices(AnalysisPart& part, const std::stop_token& stop) {
  const std::optional<DualProfile> profile =
      run_dual_profile({.config = request_.config,
                        .steps = request_.steps,
                        .folder = request_.folder / "journals",
                        .say = request_.say,
                        .progress = progress(part, msg::progress_steps{}),
                        .stop = stop});
  if (!profile) {
    return false;
  }
  show(to_document(*profile), part);
  part.findings = profile->diagnosis.findings;
  return true;
}

ProgressFn Analyzer::progress(const AnalysisPart& part, const Message& unit) const {
  return request_.progress ? request_.progress(part.title, unit) : ProgressFn();
}

std::filesystem::path Analyzer::sweep_journal() const {
  return request_.folder / "journals" / "sweep" / "journal.jsonl";
}

// Shows the run whose steps were profiled, and the sweep once it is there.
void Analyzer::write_page() const {
  const std::filesystem::path journal =
      request_.folder / "journals" / "step" / "run" / "journal.jsonl";
  Result<RunRecord> run = read_run_record(journal);
  const Result<RunRecord> sweep = read_run_record(sweep_journal());
  if (!run) {
    run = sweep;
  }
  if (!run) {
    return;  // the text says what could be measured
  }
  RunRecord record = std::move(run).value();
  if (sweep) {
    record.history.sweep = sweep.value().history.sweep;
  }
  write_run_page(record,
                 diagnose_run(record.summary),
                 journal,
                 request_.folder / "report.html",
                 request_.words);
}

void Analyzer::write_report() const {
  const Translator& words = request_.words;
  const Translator english;
  std::string text;
  std::string index;
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const AnalysisPart& part : analysis_.parts) {
    const std::string status =
        fmt::format("{:<10} {:<8} {}", to_string(part.status), part.name, english.tr(part.title));
    fmt::format_to(std::back_inserter(index),
                   "{}{}\n",
                   status,
                   part.note ? ": " + english.said(*part.note) : std::string());
    fmt::format_to(std::back_inserter(text), "== {} ==\n", words.tr(part.title));
    fmt::format_to(std::back_inserter(text),
                   "{}{}\n",
                   part.note ? fmt::format("({})\n", words.said(*part.note)) : "",
                   part.text);
    parts.push_back(
        {{"name", part.name},
         {"title", english.tr(part.title)},
         {"status", to_string(part.status)},
         {"note",
          part.note ? nlohmann::ordered_json(english.said(*part.note)) : nlohmann::ordered_json()},
         {"report", part.json}});
  }
  const nlohmann::ordered_json report{{"schema", "qanat.analysis"},
                                      {"schema_version", "1.0"},
                                      {"complete", analysis_.is_complete()},
                                      {"seconds", seconds_since(begin_).count()},
                                      {"parts", std::move(parts)}};
  fmt::format_to(std::back_inserter(index),
                 "\nreport.txt   all parts, for people\nreport.json  the same, for programs\n"
                 "report.html  the run of part `step` and the sweep, as a page\n"
                 "run.yaml     the configuration\n"
                 "journals/    what was measured; `qanat report journals/step/run` reads it\n");
  write_text_file(request_.folder / "report.txt", text);
  write_text_file(request_.folder / "report.json", report.dump(2) + "\n");
  write_text_file(request_.folder / "index.txt", index);
}

}  // namespace

std::string_view to_string(PartStatus status) {
  switch (status) {
    case PartStatus::done:
      return "done";
    case PartStatus::failed:
      return "failed";
    case PartStatus::cut_short:
      return "cut_short";
    case PartStatus::missing:
      return "missing";
  }
  return "unknown";
}

bool Analysis::is_complete() const {
  return std::ranges::all_of(
      parts, [](const AnalysisPart& part) { return part.status == PartStatus::done; });
}

Analysis analyze(const AnalysisRequest& request) {
  check_manifest_exists(request.config.values.data.train_data.value_or(""));
  return Analyzer(request).run();
}

}  // namespace qanat
