#include "locale/messages/demo.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "cli/torch_part.h"
#include "corpus/demo_corpus.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/help.h"
#include "locale/translator.h"
#include "report/feed_table.h"
#include "report/mode_table.h"
#include "selftest/feed_run.h"
#include "torch_cli/demo_speech.h"
#include "torch_cli/torch_commands.h"
#include "training/mode_run.h"

namespace qanat {
namespace {

// The program as it was called, for commands to copy.
std::string called_as() {
  const std::string name = program_invocation_name;
  return name.find('/') == std::string::npos ? "qanat" : name;
}

// What a shell takes as one word.
std::string as_word(const std::filesystem::path& path) {
  const std::string text = path.string();
  return text.find_first_of(" '\"$&;()<>|*?\\") == std::string::npos ? text : "'" + text + "'";
}

class DemoCommand : public Command {
 public:
  void declare(Flags& flags) override {
    flags.text("--data", data_, "DIR", msg::help_demo_data{});
    flags.text("--out", out_, "DIR", msg::help_demo_out{})->capture_default_str();
    flags.number("--step-ms", step_ms_, "MS", {1, 60'000}, msg::help_demo_step_ms{});
    flags.number("--paced-steps", paced_steps_, "N", {2, 1e6}, msg::help_demo_paced_steps{});
    flags.number(
        "--paced-batch-size", paced_batch_, "N", {1, 65'536}, msg::help_demo_paced_batch{});
    flags.number("--num-steps", steps_, "N", {2, 1e7}, msg::help_demo_steps{});
    flags.number("--batch-size", batch_, "N", {1, 65'536}, msg::help_demo_batch{});
    flags.number("--rounds", rounds_, "N", {1, 1000}, msg::help_demo_rounds{});
    report_.declare_json(flags);
    flags.footer(msg::footer_demo{}, {"qanat demo --data LJSpeech-1.1 --num-steps 200"});
  }

  ExitCode run(const CommandContext& context) override {
    make_folders(out_, "--out");
    const std::filesystem::path data = data_.empty() ? make_corpus(context) : data_;
    const std::optional<FeedTable> fed =
        context.stop.stop_requested() ? std::nullopt : feed(data, context);
    const auto rows = fed ? train(data, context) : std::nullopt;
    if (!rows) {
      tell(context, msg::demo_ended_early{.folder = out_.string()});
      return ExitCode::failed;
    }
    const Translator words = report_.words().on_pages();
    const Section heard = to_section(speak(context));
    write_text_file(
        page(),
        render_html(*rows, render_html(heard, words) + render_sections(*fed, words), words));
    print(*fed, *rows, heard, data, context.out);
    return ExitCode::done;
  }

 private:
  std::filesystem::path page() const { return out_ / "report.html"; }

  static void begin_part(int part, const Message& what, const CommandContext& context) {
    tell(context, msg::part_begins{.part = part, .parts = 4, .what = what});
  }

  std::filesystem::path make_corpus(const CommandContext& context) const {
    begin_part(1, msg::demo_part_corpus{}, context);
    ProgressLine progress(context, msg::progress_speaking{});
    std::filesystem::path folder = out_ / "corpus";
    make_demo_corpus(
        {.folder = folder,
         .utterances = 400,
         .espeak_program = find_companion("qanat-espeak").value_or(std::filesystem::path()),
         .progress = progress.fn(),
         .stop = context.stop});
    return folder;
  }

  LoadedConfig config(const std::filesystem::path& data) const {
    LoadedConfig config;
    config.values.data.train_data = data.string();
    config.values.data.batch_size = batch_;
    config.values.data.preprocessing_mode = PreprocessingMode::runtime;
    config.values.pipeline.feature_cache = Megabytes{0};
    config.values.model.size = ModelSize::nano;
    return config;
  }

  // Nothing when stopped.
  std::optional<FeedTable> feed(const std::filesystem::path& data,
                                const CommandContext& context) const {
    begin_part(2, msg::demo_part_feed{}, context);
    ProgressLine progress(context, msg::progress_feeding{}, msg::progress_turns{});
    RunConfig paced = config(data).values;
    paced.data.batch_size = paced_batch_;
    std::optional<ProfiledSet> set = load_profiled_set(paced, nullptr, context.stop);
    if (!set) {
      return std::nullopt;
    }
    return run_feed(
        {.config = std::move(paced),
         .data = *std::move(set),
         .dataloader = find_companion("qanat-torch-dataloader").value_or(std::filesystem::path()),
         .step = Seconds(step_ms_ / 1e3),
         .length = {.warm_up = std::max(1, paced_steps_ / 3), .steps = paced_steps_},
         .rounds = rounds_,
         .progress = progress.fn(),
         .stop = context.stop});
  }

  // Nothing when stopped.
  std::optional<std::vector<ModeRow>> train(const std::filesystem::path& data,
                                            const CommandContext& context) const {
    begin_part(3, msg::demo_part_train{}, context);
    ProgressLine progress(context, msg::progress_training{}, msg::progress_steps{});
    return run_modes({.modes = training_modes(config(data)),
                      .steps = steps_,
                      .rounds = rounds_,
                      .folder = out_,
                      .words = report_.words(),
                      .progress = progress.fn(),
                      .stop = context.stop});
  }

  DemoSpeech speak(const CommandContext& context) const {
    begin_part(4, msg::demo_part_speech{}, context);
    return speak_demo(
        out_, [&](const Message& text) { tell(context, msg::note{.text = text}); }, context.stop);
  }

  void print(const FeedTable& fed,
             const std::vector<ModeRow>& rows,
             const Section& heard,
             const std::filesystem::path& data,
             std::ostream& out) const {
    if (report_.json()) {
      const nlohmann::ordered_json object{{"schema", "qanat.demo"},
                                          {"schema_version", "1.2"},
                                          {"data", data.string()},
                                          {"report", page().string()},
                                          {"paced", to_json(fed)},
                                          {"modes", to_json(rows)},
                                          {"speech", render_json(heard)}};
      out << object.dump(2) << '\n';
      return;
    }
    const Translator words = report_.words();
    fmt::print(out,
               "\n{}\n{}\n{}\n{}\n\n{}\n",
               render_text(to_document(fed), words),
               render_text(to_document(rows), words),
               render_text(heard, words),
               words.tr(msg::report_is{.place = absolute(page()).string()}),
               words.tr(msg::demo_next{}));
    const auto suggest = [&](const std::string& command, const Message& why) {
      fmt::print(out, "  {:<52}  # {}\n", command, words.tr(why));
    };
    const std::string qanat = as_word(called_as());
    suggest(qanat + " report " + as_word(out_ / "serial"), msg::demo_next_report{});
    suggest(qanat + " data check " + as_word(data), msg::demo_next_check{});
    suggest(qanat + " synth 'Hello.' --out hello.wav", msg::demo_next_synth{});
    suggest(qanat + " train --data " + as_word(data), msg::demo_next_train{});
    suggest(qanat + " top checkpoints", msg::demo_next_top{});
  }

  std::filesystem::path data_;
  std::filesystem::path out_ = "qanat-demo";
  double step_ms_ = 45;
  int paced_steps_ = 30;
  int paced_batch_ = 32;
  std::int64_t steps_ = 30;
  int batch_ = 8;
  int rounds_ = 3;
  ReportFlags report_;
};

}  // namespace

std::unique_ptr<Command> make_demo_command() {
  return std::make_unique<DemoCommand>();
}

}  // namespace qanat
