#include "diagnosing/fix_trial.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "app/make_loader.h"
#include "base/files.h"
#include "base/value_or_throw.h"
#include "config/field_list.h"
#include "diagnose/recommendation.h"
#include "diagnose/run_comparison.h"
#include "features/feature_fingerprint.h"
#include "locale/message_error.h"
#include "locale/messages/command_errors.h"
#include "locale/messages/command_output.h"
#include "locale/messages/full_diagnosis.h"
#include "pipeline/precompute.h"
#include "report/config_changes.h"
#include "training/measured_run.h"
#include "training/train_inputs.h"

namespace qanat {
namespace {

// Makes the features of the data set.
void make_features(const RunConfig& config,
                   const std::filesystem::path& folder,
                   const std::stop_token& stop) {
  const std::optional<TrainInputs> inputs = load_train_inputs(config, {}, stop);
  if (!inputs) {
    return;
  }
  const std::unique_ptr<RowSource> source =
      make_audio_source({.set = inputs->train, .text = inputs->text});
  precompute({.manifest = inputs->train->manifest,
              .index = inputs->train->index,
              .source = *source,
              .mel = kMel,
              .fingerprint = feature_fingerprint(kMel, inputs->text->hash())},
             {.folder = folder, .workers = allowed_cores(read_host_facts()), .stop = stop});
}

Speedup predicted_by(const Finding& finding, const Fix& fix) {
  Speedup predicted{.value = finding.gain.speedup, .ci95 = finding.gain.ci95};
  if (fix.predicted_step && *fix.predicted_step > 0 && finding.gain.step_now > 0) {
    // The interval of the gain, moved to what this fix in particular promises.
    const double factor = finding.gain.step_now / *fix.predicted_step / predicted.value;
    predicted = {
        .value = predicted.value * factor,
        .ci95 = {.low = predicted.ci95.low * factor, .high = predicted.ci95.high * factor}};
  }
  return predicted;
}

double mean_step(const std::vector<RunMeasures>& runs) {
  double sum = 0;
  for (const RunMeasures& run : runs) {
    sum += run.mean_step;
  }
  return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

// Nothing when stopped.
std::optional<RunMeasures> measure(const FixTrialRequest& request,
                                   const LoadedConfig& config,
                                   const Message& what) {
  std::optional<MeasuredRun> run = run_measured(
      {.config = config,
       .steps = request.steps,
       .progress = request.progress ? request.progress(what, msg::progress_steps{}) : ProgressFn(),
       .stop = request.stop});
  if (!run || request.stop.stop_requested()) {
    return std::nullopt;
  }
  RunMeasures measures = measure_run(run->run_summary);
  if (measures.steady.size() < kMinSteps) {
    throw MessageError(msg::fix_too_few_steps{
        .what = what, .steps = measures.steady.size(), .expected = kMinSteps});
  }
  return measures;
}

}  // namespace

std::optional<double> FixTrial::error() const {
  return predicted ? std::optional(predicted->value / realised.value - 1) : std::nullopt;
}

Result<LoadedConfig> apply_fix(LoadedConfig config, const Fix& fix) {
  if (const auto wrong = assign_field(config.values, fix.key, {.text = fix.value})) {
    return to_failure(msg::usage_flag{.flag = flag_of(fix), .what = *wrong});
  }
  config.origins[fix.key] = "the fix";
  return config;
}

Speedup realised_speedup(const std::vector<RunMeasures>& before,
                         const std::vector<RunMeasures>& after) {
  double sum = 0;
  double variance = 0;
  std::vector<double> logs;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const RunComparison pair = compare_runs(after[i], before[i]);
    const double deviation = std::log(pair.ci95.high / pair.ratio) / 1.96;
    logs.push_back(std::log(pair.ratio));
    sum += logs.back();
    variance += deviation * deviation;
  }
  const auto rounds = static_cast<double>(before.size());
  const double centre = sum / rounds;
  // What rounds differ by beyond what each knows of itself: the machine changed meanwhile.
  const double between = standard_deviation(logs);
  const double deviation = std::max(std::sqrt(variance) / rounds, between / std::sqrt(rounds));
  return {.value = std::exp(centre),
          .ci95 = {.low = std::exp(centre - 1.96 * deviation),
                   .high = std::exp(centre + 1.96 * deviation)}};
}

std::optional<FixTrial> try_fix(const FixTrialRequest& request) {
  const Fix* const fix = setting_of(request.finding);
  if (fix == nullptr) {
    throw MessageError(
        request.finding.fixes.empty()
            ? Message(msg::fix_there_is_none{.finding = request.finding.id})
            : Message(msg::fix_not_a_key{.finding = request.finding.id,
                                         .fix = to_message_arg(request.finding.fixes[0])}));
  }
  const auto say = [&](const Message& line) {
    if (request.say) {
      request.say(line);
    }
  };
  LoadedConfig fixed = value_or_throw(apply_fix(request.config, *fix));
  std::optional<TemporaryFolder> features;
  if (fixed.values.data.preprocessing_mode == PreprocessingMode::precompute &&
      !fixed.values.data.feature_dir) {
    say(msg::fix_making_features{});
    const std::filesystem::path folder = features.emplace().path() / "features";
    make_features(request.config.values, folder, request.stop);
    fixed.values.data.feature_dir = folder.string();
  }
  std::vector<RunMeasures> before;
  std::vector<RunMeasures> after;
  for (int round = 0; round < request.rounds; ++round) {
    say(msg::fix_round{.round = round + 1, .rounds = request.rounds});
    std::optional<RunMeasures> one = measure(request, request.config, msg::fix_as_it_is{});
    std::optional<RunMeasures> other =
        one ? measure(request, fixed, msg::fix_with_it{}) : std::nullopt;
    if (!other) {
      return std::nullopt;
    }
    before.push_back(*std::move(one));
    after.push_back(*std::move(other));
  }
  FixTrial trial{.id = request.finding.id,
                 .fix = *fix,
                 .realised = realised_speedup(before, after),
                 .rounds = request.rounds,
                 .step_before = mean_step(before),
                 .step_after = mean_step(after)};
  if (request.finding.gain.speedup > 1 || fix->predicted_step) {
    trial.predicted = predicted_by(request.finding, *fix);
  }
  return trial;
}

std::string render_text(const FixTrial& trial, const Translator& words) {
  const auto times = [](const Speedup& speedup) {
    return msg::fix_speedup{.factor = plain(speedup.value, 3),
                            .low = plain(speedup.ci95.low, 3),
                            .high = plain(speedup.ci95.high, 3)};
  };
  std::string text = fmt::format("VERIFY  {}  {}\n", trial.id, fix_words(trial.fix, words));
  const auto line = [&](const Message& message) { text += "  " + words.tr(message) + '\n'; };
  line(trial.predicted ? Message(msg::fix_predicted{.speedup = times(*trial.predicted)})
                       : Message(msg::fix_predicted_nothing{}));
  line(msg::fix_realised{.speedup = times(trial.realised),
                         .before = plain(1000 * trial.step_before, 1),
                         .after = plain(1000 * trial.step_after, 1),
                         .rounds = trial.rounds});
  if (const std::optional<double> error = trial.error()) {
    line(msg::fix_error{.percent = words.digits(fmt::format("{:+.1f}", 100 * *error))});
  }
  line(trial.wins()                   ? Message(msg::fix_accepted{})
       : trial.realised.ci95.high < 1 ? Message(msg::fix_rejected{})
                                      : Message(msg::fix_undecided{}));
  return text;
}

nlohmann::ordered_json to_json(const FixTrial& trial) {
  const auto of = [](const Speedup& speedup) {
    return nlohmann::ordered_json{
        {"speedup", speedup.value},
        {"ci95", nlohmann::ordered_json::array({speedup.ci95.low, speedup.ci95.high})}};
  };
  nlohmann::ordered_json object{{"schema", "qanat.verify"},
                                {"schema_version", "1.0"},
                                {"finding", trial.id},
                                {"key", trial.fix.key},
                                {"flag", flag_of(trial.fix)},
                                {"predicted", nullptr},
                                {"realised", of(trial.realised)},
                                {"step_s_before", trial.step_before},
                                {"step_s_after", trial.step_after},
                                {"rounds", trial.rounds},
                                {"error", nullptr},
                                {"accepted", trial.wins()}};
  if (trial.predicted) {
    object["predicted"] = of(*trial.predicted);
    object["error"] = *trial.error();
  }
  return object;
}

}  // namespace qanat
