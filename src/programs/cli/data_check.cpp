#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "app/loader_options.h"
#include "base/files.h"
#include "base/language.h"
#include "cli/commands.h"
#include "cli/language_flag.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "config/run_config.h"
#include "dataset/dataset_check.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/configuration.h"
#include "locale/messages/help.h"
#include "locale/messages/languages.h"
#include "report/dataset_document.h"
#include "text/text_front_end.h"

namespace qanat {
namespace {

constexpr std::size_t kTextLimit = 20;
constexpr std::size_t kPageLimit = 200;

class DataCheckCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.argument("DIR", data_, msg::help_data_check_dir{})->required();
    flags.on("--quick", quick_, msg::help_data_check_quick{});
    report_.declare_json(flags, msg::help_data_check_json{});
    report_.declare_html(flags, msg::help_data_check_html{});
    flags.on("--all", all_, msg::help_data_check_all{});
    declare_set(flags);
    flags
        .choice("--fail-on",
                fail_on_,
                "WHEN",
                {"crit", "warn", "never"},
                msg::help_data_check_fail_on{})
        ->transform(Flags::renamed("error", "crit"))
        ->transform(Flags::renamed("warning", "warn"));
    flags.text("--view", view_, "FILE", msg::help_doctor_view{});
    flags.number("--threads", threads_, "N", {0, 1024}, msg::help_data_check_threads{});
    flags.text("--cache-dir", cache_, "DIR", msg::help_data_check_cache{});
    flags.footer(msg::footer_data_check{}, {"qanat data check LJSpeech-1.1 --html report.html"});
  }

  ExitCode run(const CommandContext& context) override {
    std::optional<AtomicFile> page;  // opened first: a path that cannot be written is said now
    if (!report_.html().empty()) {
      page.emplace(report_.html());
    }
    // As a run makes it, so that what is not read here is not read there either.
    TextFrontEnd text(make_text_config(config().data));
    const std::optional<DatasetReport> report = check(text, context);
    if (!report) {
      tell(context, msg::stopped_before_report{});
      return ExitCode::failed;
    }
    for (const MessageArg& note : report->notes) {
      tell(context, msg::note{.text = note});
    }
    report_.print(context.out,
                  to_document(*report, report_.json() ? std::nullopt : limit(kTextLimit)));
    if (page) {
      page->write(render_html(
          *report, {.file = report_.html(), .list_limit = limit(kPageLimit)}, report_.words()));
      page->commit();
      tell(context, msg::report_is{.place = report_.html()});
    }
    return exit_code(*report);
  }

 private:
  void declare_set(Flags& flags) {
    DataConfig& data = config_.data;
    language_.declare(flags, msg::help_row_language{});
    flags.text("--columns", columns_, "ROLE=NAME,...", msg::field_columns{});
    CLI::Option* const phonemes =
        flags.on("--phonemes", data.use_phonemes, msg::help_data_check_phonemes{});
    flags.text("--g2p", g2p_, "CMD", msg::help_text_g2p{})->excludes(phonemes);
    flags.number(
        "--max-text-length", data.max_text_length, "N", {1, 1e9}, msg::help_data_check_max_text{});
    flags.number(
        "--max-mel-frames", data.max_mel_frames, "N", {1, 1e9}, msg::help_data_check_max_frames{});
    flags.number("--min-seconds", min_seconds_, "S", {0, 1e9}, msg::help_data_check_min_seconds{});
    flags.number("--val-split", data.val_split, "SHARE", {0, 1}, msg::help_data_check_val_split{});
    flags.number(
        "--split-seed,--seed", seed_, "N", {0, kMaxSeed}, msg::help_data_check_split_seed{});
  }

  std::optional<DatasetReport> check(TextFrontEnd& text, const CommandContext& context) const {
    ProgressLine measuring(context, msg::progress_measuring{});
    ProgressLine listening(
        context,
        quick_ ? Message(msg::progress_reading_headers{}) : Message(msg::progress_listening{}));
    CheckOptions options = this->options();
    options.index_progress = measuring.fn();
    options.sound_progress = [&](std::int64_t done, std::int64_t total) {
      measuring.finish();
      listening.update(done, total);
    };
    options.stop = context.stop;
    options.manifest.store.stop = context.stop;
    return check_dataset(options, make_check_sources(text, kMel.sample_rate));
  }

  // That of a run on this data set.
  RunConfig config() const {
    RunConfig config = config_;
    config.data.train_data = data_;
    config.data.language = language_.language();
    if (!g2p_.empty()) {
      config.data.g2p = g2p_;
    }
    if (!columns_.empty()) {
      config.data.columns = columns_;
    }
    if (!view_.empty()) {
      config.data.view = view_;
    }
    config.data.split_seed = static_cast<std::int64_t>(seed_);
    if (!cache_.empty()) {
      config.data.cache_dir = cache_;
    }
    return config;
  }

  CheckOptions options() const {
    CheckOptions options = make_check_options(config(), read_host_facts());
    options.limits.min_samples =
        SampleCount{static_cast<std::int64_t>(min_seconds_ * kMel.sample_rate.value)};
    options.depth = quick_ ? CheckDepth::headers : CheckDepth::samples;
    options.threads = threads_;
    return options;
  }

  // How many problems of a kind are listed; programs get all of them.
  std::optional<std::size_t> limit(std::size_t usual) const {
    return all_ ? std::nullopt : std::optional(usual);
  }

  ExitCode exit_code(const DatasetReport& report) const {
    if (report.unusable) {
      return ExitCode::failed;
    }
    const bool has_errors = count_of(report, Severity::error) > 0;
    const bool has_warnings = count_of(report, Severity::warning) > 0;
    const bool is_finding =
        (has_errors && fail_on_ != "never") || (has_warnings && fail_on_ == "warn");
    return is_finding ? ExitCode::findings : ExitCode::done;
  }

  std::string data_;
  LanguageFlag language_;  // of the rows
  std::string columns_;
  std::string g2p_;
  std::string cache_;
  std::string view_;
  std::string fail_on_ = "crit";
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
