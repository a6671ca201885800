#include "train/vocoder_task.h"

#include <array>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "device/host/host_device.h"
#include "pipeline/segment_row_source.h"
#include "replicas/thread_group.h"
#include "torch_binding/torch_binding.h"
#include "train/train_step.h"
#include "train/vocoder_task_testing.h"
#include "vocoder/vocoder_testing.h"

namespace qanat {
namespace {

constexpr std::int64_t kStart = 2;  // of the discriminators
constexpr int kFrames = HumBatch::kFrames;

class VocoderTaskTest : public testing::Test {
 protected:
  VocoderTaskTest() : device_({.id = {.kind = DeviceKind::virtual_gpu}, .threads = 1}) {
    bind_torch(device_);
    stream_ = device_.make_stream("train");
    stream_->submit([this] {
      vocoder_.emplace(make_trained_vocoder(small_vocoder(), {}, 1, torch::kCPU));
      task_.emplace(*vocoder_, VocoderTaskOptions{.discriminator_start = kStart});
    });
    stream_->synchronise();
  }

  StepRecord update(TrainStep& step, std::int64_t number, const HumBatch& batch) {
    const Clock::time_point now = Clock::now();
    task_->begin_update(number);
    step.accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
    step.update({.step = number, .learning_rate = 1e-3});
    return step.wait_finished().value().record;
  }
  // The generator's gradient; waits.
  torch::Tensor gradient_of(const TrainStepOptions& options, const HumBatch& batch) {
    TrainStep step(device_, *stream_, *task_, options);
    const Clock::time_point now = Clock::now();
    task_->begin_update(kStart);
    step.accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
    stream_->synchronise();
    const torch::Tensor all = torch::cat(
        {vocoder_->generator.gradient.clone(), vocoder_->discriminators.gradient.clone()});
    vocoder_->generator.gradient.zero_();
    vocoder_->discriminators.gradient.zero_();
    return all;
  }

  HostDevice device_;
  std::unique_ptr<DeviceStream> stream_;
  std::optional<TrainedVocoder> vocoder_;
  std::optional<VocoderTask> task_;
};

TEST_F(VocoderTaskTest, TrainsTheDiscriminatorsFromTheirStepOnAndTheGeneratorFromTheFirst) {
  TrainStep step(device_, *stream_, *task_, {});
  const HumBatch batch(3);
  for (std::int64_t number = 0; number < kStart; ++number) {
    const torch::Tensor generator = vocoder_->generator.weights.clone();
    const torch::Tensor judges = vocoder_->discriminators.weights.clone();

    const StepRecord record = update(step, number, batch);

    EXPECT_FALSE(torch::equal(vocoder_->generator.weights, generator));
    EXPECT_TRUE(torch::equal(vocoder_->discriminators.weights, judges));
    EXPECT_EQ(record.losses.adversarial, 0);
    EXPECT_EQ(record.losses.discriminator, 0);
  }
  const torch::Tensor judges = vocoder_->discriminators.weights.clone();

  const StepRecord record = update(step, kStart, batch);

  EXPECT_FALSE(torch::equal(vocoder_->discriminators.weights, judges));
  EXPECT_NEAR(record.losses.total,
              15 * record.losses.mel + 5 * record.losses.stft + 5 * record.losses.magnitude +
                  record.losses.adversarial + 2 * record.losses.feature,
              1e-3);
  EXPECT_GT(record.losses.discriminator, 0);
}

TEST_F(VocoderTaskTest, AStepThatOnlyTheDiscriminatorsSkipIsNotASkippedOne) {
  TrainStep step(device_, *stream_, *task_, {});
  const HumBatch batch(2);
  const torch::Tensor generator = vocoder_->generator.weights.clone();
  const torch::Tensor judges = vocoder_->discriminators.weights.clone();
  const Clock::time_point now = Clock::now();
  task_->begin_update(kStart);
  step.accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
  stream_->synchronise();
  vocoder_->discriminators.gradient.fill_(std::nan(""));

  step.update({.step = kStart, .learning_rate = 1e-3});
  const FinishedStep done = step.wait_finished().value();

  EXPECT_FALSE(torch::equal(vocoder_->generator.weights, generator));
  EXPECT_TRUE(torch::equal(vocoder_->discriminators.weights, judges));
  EXPECT_FALSE(done.record.skipped);
  EXPECT_FALSE(done.updated_all);
}

// The generator is told by the discriminators where they look; they learn nothing from its losses,
// and their own loss moves nothing of it.
TEST_F(VocoderTaskTest, GivesEachNetworkTheGradientOfItsOwnLoss) {
  const HumBatch batch(2);
  const torch::Tensor samples = to_samples(batch.get(), {.count = 2}, torch::kCPU);
  const std::int64_t hop = 256;
  const torch::Tensor recorded = samples.narrow(1, kSegmentContext * hop, 16 * hop).contiguous();
  const VocoderMeasures measures(small_vocoder().mel, torch::kCPU);
  const torch::Tensor mel =
      measures.log_mel.of(samples).narrow(2, kSegmentContext, 16).contiguous();
  const torch::Tensor made = vocoder_->network->forward(mel).detach();
  const torch::Tensor expected =
      kFrames *
      discriminator_loss(vocoder_->judges->judge(recorded), vocoder_->judges->judge(made)).sum();
  const torch::Tensor of_judges = vocoder_->discriminators.layout.make_block(torch::kCPU);
  vocoder_->discriminators.layout.add(
      of_judges, torch::autograd::grad({expected}, vocoder_->discriminators.parameters));

  const torch::Tensor found = gradient_of({}, batch).narrow(
      0, vocoder_->generator.layout.size(), vocoder_->discriminators.layout.size());

  EXPECT_LT(((found - of_judges).norm() / of_judges.norm()).item<double>(), 1e-5);
}

// The mel is not that of the samples; what is made of it is compared with the samples.
TEST_F(VocoderTaskTest, FeedsTheGeneratorTheMelThatLiesBesideTheSamples) {
  HumBatch batch(2, {.kind = PayloadKind::pcm_s16, .mel_beside_pcm = true});
  torch::manual_seed(3);
  batch.mel().copy_(torch::randn({2, kFrames, 80}) - 5);
  const std::int64_t hop = 256;
  const torch::Tensor recorded = to_samples(batch.get(), {.count = 2}, torch::kCPU)
                                     .narrow(1, kSegmentContext * hop, 16 * hop)
                                     .contiguous();
  const VocoderMeasures measures(small_vocoder().mel, torch::kCPU);
  const torch::Tensor made = vocoder_->network->forward(
      batch.mel().narrow(1, kSegmentContext, 16).transpose(1, 2).contiguous());
  const double expected =
      mel_loss(measures.log_mel.of(made), measures.log_mel.of(recorded)).mean().item<double>();

  TrainStep step(device_, *stream_, *task_, {});
  const StepRecord fed = update(step, 0, batch);

  EXPECT_NEAR(fed.losses.mel, expected, 1e-4 * expected);
}

// Up to rounding, which turns the sign of a few of the absolute differences that are all but zero.
TEST_F(VocoderTaskTest, HasTheSameGradientInMicrobatches) {
  const HumBatch batch(4);

  const torch::Tensor whole = gradient_of({}, batch);
  const torch::Tensor split = gradient_of({.microbatch_size = 1}, batch);

  EXPECT_LT(((whole - split).norm() / whole.norm()).item<double>(), 3e-3);
}

TEST_F(VocoderTaskTest, LearnsAHum) {
  TrainStep step(device_, *stream_, *task_, {});
  const HumBatch batch(2);
  const double before = update(step, 0, batch).losses.mel;
  double after = 0;
  for (int i = 0; i < 60; ++i) {
    after = update(step, 1, batch).losses.mel;
  }

  EXPECT_LT(after, 0.7 * before);
}

TEST_F(VocoderTaskTest, ValidatesTheAverageOnWholeClips) {
  std::vector<float> clip(40 * 256 + 100);
  for (std::size_t i = 0; i < clip.size(); ++i) {
    clip[i] = 0.3F * std::sin(0.05F * static_cast<float>(i));
  }
  const VocoderValidator validator(small_vocoder().mel,
                                   {{.samples = clip}, {.samples = std::vector<float>(500)}});
  task_->validate_with(&validator);

  const ValidationResult result = task_->validate(*stream_, nullptr);

  EXPECT_EQ(result.utterances, 1);  // the other is too short for a spectrum
  EXPECT_EQ(result.frames, 40);
  EXPECT_GT(result.losses.mel, 0);
  EXPECT_DOUBLE_EQ(result.losses.total, result.losses.mel + result.losses.stft);
}

// One of the processes could not read a clip: early stopping has to decide alike in both.
TEST_F(VocoderTaskTest, ProcessesWithDifferentClipsHaveOneScore) {
  const std::vector<float> loud(40 * 256, 0.3F);
  const std::vector<float> longer(60 * 256, 0.1F);
  const VocoderValidator both(small_vocoder().mel, {{.samples = loud}, {.samples = longer}});
  const VocoderValidator one(small_vocoder().mel, {{.samples = longer}, {.samples = {}}});
  const auto groups = make_thread_groups({.world = 2});
  std::array<ValidationResult, 2> results;

  std::jthread other([&] {
    const std::unique_ptr<DeviceStream> stream = device_.make_stream("other");
    results[1] = one.run(*vocoder_, *stream, groups[1].get());
  });
  results[0] = both.run(*vocoder_, *stream_, groups[0].get());
  other.join();

  EXPECT_EQ(results[0].losses.total, results[1].losses.total);
  EXPECT_EQ(results[0].frames, results[1].frames);
}

TEST_F(VocoderTaskTest, ValidatesOnTheMelOfAClipThatHasOne) {
  std::vector<float> clip(40 * 256);
  for (std::size_t i = 0; i < clip.size(); ++i) {
    clip[i] = 0.3F * std::sin(0.05F * static_cast<float>(i));
  }
  const MelConfig mel = small_vocoder().mel;
  const torch::Tensor own =
      LogMel(mel, torch::kCPU).of(torch::tensor(clip).unsqueeze(0))[0].t().contiguous();
  const std::vector<float> values(own.data_ptr<float>(), own.data_ptr<float>() + own.numel());
  const auto mel_distance = [&](const std::vector<float>& fed) {
    const VocoderValidator validator(mel, {{.samples = clip, .mel = fed}});
    task_->validate_with(&validator);
    return task_->validate(*stream_, nullptr).losses.mel;
  };

  EXPECT_EQ(mel_distance(values), mel_distance({}));
  EXPECT_GT(mel_distance(std::vector<float>(values.size(), -11.0F)), 2 * mel_distance({}));
}

}  // namespace
}  // namespace qanat
