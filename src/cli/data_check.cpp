#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/ostream.h>
#include <unistd.h>

#include "app/dataset_sources.h"
#include "app/loader_options.h"
#include "base/files.h"
#include "base/language.h"
#include "cli/commands.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/terminal.h"
#include "config/run_config.h"
#include "dataset/dataset_check.h"
#include "report/dataset_html.h"
#include "report/dataset_json.h"
#include "report/dataset_text.h"
#include "text/text_front_end.h"

namespace qanat {
namespace {

class DataCheckCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("DIR", data_, "folder of the data set, or a manifest file in it")->required();
    app.add_flag("--quick", quick_, "read manifest, text and audio headers, not the samples");
    report_.declare_json(app, "print one JSON object with every problem");
    report_.declare_html(app, "also write the report as a page to this file");
    app.add_flag("--all", all_, "list every problem; otherwise 20 of a kind (HTML: 200)");
    // Beside --language, which is about the rows, it has to say what it is about.
    report_.declare_language(app)->description(
        "language of the report: en or fa; not given: the environment's (LANG=fa_IR), else en");
    declare_set(app);
    app.add_option("--fail-on", fail_on_, "exit with 10 on: error, warning or never")
        ->check(within(CLI::IsMember({"error", "warning", "never"})))
        ->type_name("WHEN")
        ->capture_default_str();
    app.add_option("--threads", threads_, "threads to read with; 0: one per core")
        ->check(within(CLI::Range(0, 1024)))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--cache-dir", cache_, "where lengths are remembered; default: ~/.cache/qanat")
        ->type_name("DIR");
    app.footer(
        "Errors are rows a run would not use; warnings are used but suspicious. The data set is\n"
        "only read. Exit code: 0 all is used, 10 something is not, 1 the set cannot be used.\n"
        "Example: qanat data check LJSpeech-1.1 --html report.html");
  }

  ExitCode run(const CommandContext& context) override {
    std::optional<AtomicFile> page;  // opened first: a path that cannot be written is said now
    if (!report_.html().empty()) {
      page.emplace(report_.html());
    }
    // As a run makes it, so that what is not read here is not read there either.
    const TextFrontEnd text(make_text_config(config_.data));
    const std::optional<DatasetReport> report = check(text, context);
    if (!report) {
      return ExitCode::failed;
    }
    for (const std::string& note : report->notes) {
      fmt::print(context.err, "note: {}\n", note);
    }
    print(*report, context.out);
    if (page) {
      page->write(render_html(*report, html_options()));
      page->commit();
      fmt::print(context.err, "report: {}\n", report_.html());
    }
    return exit_code(*report);
  }

 private:
  void declare_set(CLI::App& app) {
    app.add_option("--language",
                   language_,
                   "language of rows that name none: en or fa; default: "
                   "by the script of the text")
        ->check(within(CLI::IsMember({"en", "fa"})))
        ->type_name("CODE");
    app.add_flag("--phonemes",
                 config_.data.use_phonemes,
                 "tokens are phonemes made by espeak-ng, as in a run with data.use_phonemes");
    app.add_option("--max-text-length",
                   config_.data.max_text_length,
                   "longest text that is used, in tokens")
        ->check(within(CLI::PositiveNumber))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--max-mel-frames",
                   config_.data.max_mel_frames,
                   "longest audio that is used, in frames of 256 "
                   "samples at 22050 Hz")
        ->check(within(CLI::PositiveNumber))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--min-seconds", min_seconds_, "shortest audio that is used, in s")
        ->check(within(CLI::NonNegativeNumber))
        ->type_name("S")
        ->capture_default_str();
    app.add_option("--val-split",
                   config_.data.val_split,
                   "share of the rows that validate where there is no metadata_eval.csv; 0: the "
                   "set has no validation part")
        ->check(within(CLI::Range(0.0, 1.0)))
        ->type_name("SHARE")
        ->capture_default_str();
    app.add_option("--seed", seed_, "another seed chooses other rows for validation")
        ->type_name("N")
        ->capture_default_str();
  }

  std::optional<DatasetReport> check(const TextFrontEnd& text,
                                     const CommandContext& context) const {
    const Terminal terminal = detect_terminal(STDERR_FILENO);
    ProgressLine measuring(context.err, terminal, {.label = "measuring"});
    ProgressLine listening(
        context.err, terminal, {.label = quick_ ? "reading headers" : "listening"});
    CheckOptions options = this->options();
    options.index_progress = measuring.fn();
    options.sound_progress = [&](std::int64_t done, std::int64_t total) {
      measuring.finish();
      listening.update(done, total);
    };
    options.stop = context.stop;
    return check_dataset(options, make_check_sources(text, kMel.sample_rate));
  }

  CheckOptions options() const {
    RunConfig config = config_;
    config.data.train_data = data_;
    config.data.language = to_language(language_);
    config.data.split_seed = static_cast<std::int64_t>(seed_);
    if (!cache_.empty()) {
      config.data.cache_dir = cache_;
    }
    CheckOptions options = make_check_options(config, read_host_facts());
    options.limits.min_samples =
        SampleCount{static_cast<std::int64_t>(min_seconds_ * kMel.sample_rate.value)};
    options.depth = quick_ ? CheckDepth::headers : CheckDepth::samples;
    options.threads = threads_;
    return options;
  }

  DatasetHtmlOptions html_options() const {
    DatasetHtmlOptions options{.words = report_.words()};
    if (all_) {
      options.list_limit = std::nullopt;
    }
    return options;
  }

  void print(const DatasetReport& report, std::ostream& out) const {
    if (report_.json()) {
      out << render_json(report);
      return;
    }
    DatasetTextOptions options{.unicode = detect_terminal(STDOUT_FILENO).unicode,
                               .words = report_.words()};
    if (all_) {
      options.list_limit = std::nullopt;
    }
    out << render_text(report, options);
  }

  ExitCode exit_code(const DatasetReport& report) const {
    if (report.unusable) {
      return ExitCode::failed;
    }
    const bool has_errors = count_of(report, Severity::error) > 0;
    const bool has_warnings = count_of(report, Severity::warning) > 0;
    const bool is_finding =
        (has_errors && fail_on_ != "never") || (has_warnings && fail_on_ == "warning");
    return is_finding ? ExitCode::findings : ExitCode::done;
  }

  std::string data_;
  std::string language_;  // of the rows
  std::string cache_;
  std::string fail_on_ = "error";
  RunConfig config_;  // the defaults that a run has
  double min_seconds_ =
      static_cast<double>(LengthLimits{}.min_samples.value) / kMel.sample_rate.value;
  std::uint64_t seed_ = 0;
  int threads_ = 0;
  bool quick_ = false;
  ReportFlags report_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_data_check_command() {
  return std::make_unique<DataCheckCommand>();
}

}  // namespace qanat
