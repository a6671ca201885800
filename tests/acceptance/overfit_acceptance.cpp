// The smallest model learns eight clips by heart and speaks them on its own.
//
// Free-running: durations are the model's, no recording is followed. By default on synthetic
// speech; on the eight shortest clips of a real data set with QANAT_ACCEPTANCE_DATA=FOLDER.
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "clips.h"
#include "train/schedule.h"
#include "train/speech_task.h"
#include "train/trained_model.h"
#include "train/validation.h"

namespace qanat {
namespace {

constexpr int kClips = 8;
constexpr int kOverfitSteps = 400;
constexpr int kBinarisationStart = 60;  // steps after which the alignment is made hard

ClipSet eight_clips() {
  if (const char* data = std::getenv("QANAT_ACCEPTANCE_DATA")) {
    return read_shortest_clips(data, kClips);
  }
  const auto folder = std::filesystem::path(testing::TempDir()) / "qanat_acceptance_overfit";
  make_phone_clips(folder, {.utterances = 2 * kClips, .mean_seconds = 4});
  return read_shortest_clips(folder, kClips);
}

// Trains on one batch; returns the mean of mel L1 over the frames in the last step, in nat.
double learn_by_heart(TrainedModel& model, const ModelBatch& batch) {
  const Schedule schedule{.peak = 2e-3, .warmup = 40, .total = kOverfitSteps};
  const double frames = batch.mel_lengths.sum().item<double>();
  torch::Tensor sums;
  for (int step = 0; step < kOverfitSteps; ++step) {
    MicrobatchOptions options;
    options.weights.binarisation = step < kBinarisationStart ? 0 : 0.1;
    sums = torch::zeros({kLossSums});
    model.gradient.zero_();
    MicrobatchGradient(model, options, [&] { return batch; }).run(sums);
    model.optimiser.update(model.weights, model.gradient, frames, schedule.learning_rate(step));
  }
  return sums[1].item<double>() / frames * model.network->shape().mel_std;
}

TEST(OverfitAcceptance, NanoSpeaksEightClipsItWasTrainedOn) {
  const ClipSet set = eight_clips();
  const ModelBatch batch = to_batch(set.clips);
  TrainedModel model = make_trained_model(
      model_shape(ModelPreset::nano, set.vocabulary), AdamWOptions{}, 1, torch::kCPU);

  const double mel_l1 = learn_by_heart(model, batch);
  fmt::print(
      "nano, {} clips, {} steps: mel L1 {:.3f} nat\n", set.clips.size(), kOverfitSteps, mel_l1);
  EXPECT_LE(mel_l1, 0.40);
  const std::vector<torch::Tensor> spoken =
      model.network->synthesise({.tokens = batch.tokens,
                                 .token_lengths = batch.token_lengths,
                                 .reference = batch.reference,
                                 .reference_lengths = batch.reference_lengths},
                                {});
  for (std::size_t i = 0; i < set.clips.size(); ++i) {
    const auto frames = static_cast<double>(set.clips[i].frames());
    const double longer = static_cast<double>(spoken[i].size(0)) / frames - 1;
    const double distance = warped_distance(spoken[i], set.clips[i].mel);
    fmt::print("{}: {} frames, length {:+.1f} %, warped L1 {:.3f} nat\n",
               set.clips[i].id,
               frames,
               100 * longer,
               distance);
    EXPECT_LE(std::abs(longer), 0.03) << set.clips[i].id;
    EXPECT_LE(distance, 0.6) << set.clips[i].id;
  }
}

}  // namespace
}  // namespace qanat
