// The aligner finds the phones of synthetic speech, whose times are known to the sample.
//
// Tokens are eSpeak NG's phones, silence included; compared are the frames at which phones begin,
// after taking out the median offset (a frame looks around itself, so there is a constant one).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "clips.h"
#include "model/forward_sum.h"
#include "model/monotonic_search.h"
#include "train/schedule.h"
#include "train/trained_model.h"

namespace qanat {
namespace {

constexpr double kThreshold = 3;  // frames
constexpr int kAlignerSteps = 50;

ClipSet clips_in(Language language) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      fmt::format("qanat_acceptance_aligner_{}", to_string(language));
  return make_phone_clips(folder, {.utterances = 64, .mean_seconds = 4, .language = language});
}

TrainedModel train_aligner(const ClipSet& set) {
  TrainedModel model = make_trained_model(
      model_shape(ModelPreset::nano, set.vocabulary), AdamWOptions{}, 1, torch::kCPU);
  const Schedule schedule{.peak = 1e-2, .warmup = 5, .total = kAlignerSteps};
  const ModelBatch batch = to_batch(set.clips);
  for (int step = 0; step < kAlignerSteps; ++step) {
    const torch::Tensor losses = forward_sum(
        model.network->align(batch).log_probability, batch.token_lengths, batch.mel_lengths);
    const torch::Tensor loss = (losses / batch.token_lengths).mean();
    model.gradient.zero_();
    model.layout.add(
        model.gradient,
        torch::autograd::grad({loss}, model.parameters, {}, false, false, /*allow_unused=*/true));
    model.optimiser.update(model.weights, model.gradient, 1, schedule.learning_rate(step));
  }
  return model;
}

// How many frames later than it does each token seems to begin.
std::vector<double> delays(TrainedModel& model, const std::vector<Clip>& clips) {
  const torch::NoGradGuard no_grad;
  std::vector<double> result;
  for (const Clip& clip : clips) {
    const ModelBatch batch = to_batch({clip});
    const torch::Tensor durations = monotonic_durations(
        model.network->align(batch).log_probability, batch.token_lengths, batch.mel_lengths);
    double start = 0;
    for (std::size_t n = 1; n < clip.starts.size(); ++n) {
      start += durations[0][static_cast<std::int64_t>(n) - 1].item<double>();
      result.push_back(start - clip.starts[n]);
    }
  }
  return result;
}

double boundary_error(std::vector<double> delays) {
  std::vector<double> sorted = delays;
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
  const double median = sorted[sorted.size() / 2];
  double sum = 0;
  for (const double delay : delays) {
    sum += std::abs(delay - median);
  }
  return sum / static_cast<double>(delays.size());
}

class AlignerAcceptance : public testing::TestWithParam<Language> {};

TEST_P(AlignerAcceptance, FindsPhonesWithinThreeFrames) {
  const ClipSet set = clips_in(GetParam());

  TrainedModel model = train_aligner(set);

  const double error = boundary_error(delays(model, set.clips));
  fmt::print("aligner, {}: mean boundary error {:.2f} frames\n", to_string(GetParam()), error);
  EXPECT_LE(error, kThreshold);
}

TEST_P(AlignerAcceptance, IsLostWhenTokensAreShuffled) {
  ClipSet set = clips_in(GetParam());
  std::mt19937 random(3);
  for (Clip& clip : set.clips) {
    std::shuffle(clip.tokens.begin(), clip.tokens.end(), random);
  }

  TrainedModel model = train_aligner(set);

  const double error = boundary_error(delays(model, set.clips));
  fmt::print("aligner, {}, tokens shuffled: mean boundary error {:.2f} frames\n",
             to_string(GetParam()),
             error);
  EXPECT_GT(error, kThreshold);
}

INSTANTIATE_TEST_SUITE_P(Languages,
                         AlignerAcceptance,
                         testing::Values(Language::en, Language::fa),
                         [](const auto& language) {
                           return std::string(to_string(language.param));
                         });

}  // namespace
}  // namespace qanat
