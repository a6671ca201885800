#include "diagnosing/fix_trial.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "app/make_loader.h"
#include "base/error.h"
#include "base/files.h"
#include "base/value_or_throw.h"
#include "config/field_list.h"
#include "diagnose/recommendation.h"
#include "diagnose/run_comparison.h"
#include "features/feature_fingerprint.h"
#include "locale/translator.h"
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
                                   const std::string& what) {
  std::optional<MeasuredRun> run =
      run_measured({.config = config,
                    .steps = request.steps,
                    .progress = request.progress ? request.progress(what) : ProgressFn(),
                    .stop = request.stop});
  if (!run || request.stop.stop_requested()) {
    return std::nullopt;
  }
  RunMeasures measures = measure_run(run->run_summary);
  if (measures.steady.size() < kMinSteps) {
    throw Error("{}: {} steps after the warm-up; expected {}; try more --steps",
                what,
                measures.steady.size(),
                kMinSteps);
  }
  return measures;
}

}  // namespace

std::optional<double> FixTrial::error() const {
  return predicted ? std::optional(predicted->value / realised.value - 1) : std::nullopt;
}

Result<LoadedConfig> apply_fix(LoadedConfig config, const Fix& fix) {
  if (const auto wrong = assign_field(config.values, fix.key, {.text = fix.value})) {
    return Failure{fmt::format("{}: {}", flag_of(fix), Translator().tr(*wrong))};
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
    throw Error("{}: its fix is not a key of the configuration, so it cannot be tried: {}",
                request.finding.id,
                request.finding.fixes.empty() ? "there is none"
                                              : fix_words(request.finding.fixes[0], Translator()));
  }
  LoadedConfig fixed = value_or_throw(apply_fix(request.config, *fix));
  std::optional<TemporaryFolder> features;
  if (fixed.values.data.preprocessing_mode == PreprocessingMode::precompute &&
      !fixed.values.data.feature_dir) {
    request.say("making features in a temporary folder");
    const std::filesystem::path folder = features.emplace().path() / "features";
    make_features(request.config.values, folder, request.stop);
    fixed.values.data.feature_dir = folder.string();
  }
  std::vector<RunMeasures> before;
  std::vector<RunMeasures> after;
  for (int round = 0; round < request.rounds; ++round) {
    request.say(fmt::format("round {} of {}", round + 1, request.rounds));
    std::optional<RunMeasures> one = measure(request, request.config, "as it is");
    std::optional<RunMeasures> other = one ? measure(request, fixed, "with the fix") : std::nullopt;
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

std::string render_text(const FixTrial& trial) {
  std::string text = fmt::format("VERIFY  {}  {}\n", trial.id, fix_words(trial.fix, Translator()));
  if (trial.predicted) {
    text += fmt::format("  predicted  {:.3f}x [{:.3f}, {:.3f}]\n",
                        trial.predicted->value,
                        trial.predicted->ci95.low,
                        trial.predicted->ci95.high);
  } else {
    text += "  predicted  nothing: the finding promises no time\n";
  }
  text += fmt::format(
      "  realised   {:.3f}x [{:.3f}, {:.3f}]   {:.1f} ms -> {:.1f} ms per step, {} rounds turn by "
      "turn\n",
      trial.realised.value,
      trial.realised.ci95.low,
      trial.realised.ci95.high,
      1000 * trial.step_before,
      1000 * trial.step_after,
      trial.rounds);
  if (const std::optional<double> error = trial.error()) {
    text += fmt::format("  error      {:+.1f} %\n", 100 * *error);
  }
  text += trial.wins()                   ? "  ACCEPTED   the fix makes the run faster\n"
          : trial.realised.ci95.high < 1 ? "  REJECTED   the fix makes the run slower\n"
                                         : "  UNDECIDED  no difference beyond the noise; "
                                           "try more --steps\n";
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
