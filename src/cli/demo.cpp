#include "cli/demo.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/dataset_sources.h"
#include "app/demo_corpus.h"
#include "app/demo_show.h"
#include "app/demo_show_table.h"
#include "app/make_loader.h"
#include "base/error.h"
#include "base/files.h"
#include "cli/progress_line.h"
#include "cli/terminal.h"

namespace qanat {
namespace {

CLI::Validator within(CLI::Validator validator) {
  return validator.description("");
}

// The readings in a file of JSON objects, one per line.
std::vector<PacedReading> read_readings(const std::filesystem::path& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) {
    throw Error(text.failure().what);
  }
  std::vector<PacedReading> readings;
  std::string_view rest = text.value();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) {
      continue;
    }
    Result<PacedReading> reading = read_paced_reading(nlohmann::json::parse(line, nullptr, false));
    if (!reading) {
      throw Error("{}: {}", path.string(), reading.failure().what);
    }
    readings.push_back(std::move(reading).value());
  }
  return readings;
}

// Named after the user, so that one user's does not stand in another's way.
std::filesystem::path default_corpus() {
  return std::filesystem::temp_directory_path() / fmt::format("qanat-demo-{}", ::getuid());
}

class DemoCommand : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("--data", data_, "folder of a data set; default: one is made")->type_name("DIR");
    app.add_option("--pace", pace_, "batches per second the consumer would take")
        ->check(within(CLI::Range(0.1, 10'000.0)))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--seconds", seconds_, "how long to feed it, in s")
        ->check(within(CLI::Range(0.1, 86'400.0)))
        ->type_name("S")
        ->capture_default_str();
    app.add_option("--batch-size", batch_, "utterances in a batch")
        ->check(within(CLI::Range(1, 65'536)))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--num-workers", workers_, "threads that load")
        ->check(within(CLI::Range(1, 1024)))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--beside", beside_, "show these readings beside ours: JSON objects, one a line")
        ->type_name("FILE");
    app.add_flag("--json", json_, "print one JSON object per loader");
    app.footer(
        "Feeds a consumer that takes batches at a trainer's pace, from audio files alone (no\n"
        "shards, no memory cache), and says how much of its time the consumer waited.\n"
        "Example: qanat demo --data LJSpeech-1.1 --pace 22 --batch-size 32");
  }

  ExitCode run(const CommandContext& context) override {
    std::vector<PacedReading> readings =
        beside_.empty() ? std::vector<PacedReading>() : read_readings(beside_);
    const std::filesystem::path data = data_.empty() ? make_corpus(context) : data_;
    const std::optional<PacedReading> ours =
        context.stop.stop_requested() ? std::nullopt : feed(data, context);
    if (!ours) {
      context.err << "stopped\n";
      return ExitCode::failed;
    }
    readings.insert(readings.begin(), *ours);
    print(readings, data, context.out);
    return ExitCode::done;
  }

 private:
  static std::filesystem::path make_corpus(const CommandContext& context) {
    ProgressLine progress(context.err, detect_terminal(STDERR_FILENO), {.label = "speaking"});
    const std::filesystem::path folder = default_corpus();
    make_demo_corpus({.folder = folder,
                      .utterances = 400,
                      .voice = DemoVoiceChoice::built_in,
                      .progress = progress.fn(),
                      .stop = context.stop});
    return folder;
  }

  RunConfig config() const {
    RunConfig config;
    config.data.batch_size = batch_;
    config.data.num_workers = workers_;
    config.data.preprocessing_mode = PreprocessingMode::runtime;
    config.pipeline.feature_cache = Megabytes{0};
    return config;
  }

  // Nothing when stopped.
  std::optional<PacedReading> feed(const std::filesystem::path& data,
                                   const CommandContext& context) const {
    const Clock::time_point begin = Clock::now();
    const auto text = std::make_shared<const TextFrontEnd>();
    std::optional<UtteranceSet> set =
        load_utterance_set(data,
                           {.train_data = data, .index = {.stop = context.stop}},
                           make_index_sources(*text, kMel.sample_rate));
    if (!set) {
      return std::nullopt;
    }
    const std::unique_ptr<Loader> loader = make_loader(
        config(), {.set = std::make_shared<const UtteranceSet>(std::move(*set)), .text = text});
    ProgressLine progress(
        context.err, detect_terminal(STDERR_FILENO), {.label = "feeding", .unit = "batches"});
    const auto expected = static_cast<std::int64_t>(std::ceil(pace_ * seconds_));
    std::int64_t taken = 0;
    const TakeBatch take = [&](const std::stop_token& stop) {
      const bool took = loader->next(stop).has_value();
      progress.update(std::min(taken += took ? 1 : 0, expected), expected);
      return took;
    };
    PacedReading reading = consume_at_pace(
        take, {.batches_per_second = pace_, .duration = Seconds(seconds_)}, begin, context.stop);
    progress.update(taken, taken);
    reading.name = "Qanat";
    reading.workers = workers_;
    reading.batch = batch_;
    return context.stop.stop_requested() ? std::nullopt : std::optional(reading);
  }

  void print(const std::vector<PacedReading>& readings,
             const std::filesystem::path& data,
             std::ostream& out) const {
    if (json_) {
      for (const PacedReading& reading : readings) {
        out << to_json(reading) << '\n';
      }
      return;
    }
    fmt::print(out, "\n{}\n{}\n\n", render_paced_table(readings), paced_verdict(readings));
    out << "What to type next:\n";
    const auto suggest = [&out](const std::string& command, std::string_view why) {
      fmt::print(out, "  {:<48} {}\n", command, why);
    };
    const std::string folder = data.string();
    suggest("qanat data check " + folder, "what is in a data set, and what is wrong with it");
    suggest("qanat demo --data " + folder + " --pace 60", "how far does one worker reach?");
    suggest("qanat config reference", "every setting there is");
  }

  std::filesystem::path data_;
  std::filesystem::path beside_;
  double pace_ = 22;
  double seconds_ = 15;
  int batch_ = 32;
  int workers_ = 1;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_demo_command() {
  return std::make_unique<DemoCommand>();
}

}  // namespace qanat
