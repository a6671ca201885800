#include "features/griffin_lim.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <random>

#include <gmock/gmock.h>

#include "audio/audio_decoder.h"
#include "features/mel_extractor.h"
#include "features/mel_testing.h"

namespace qanat {
namespace {

std::vector<GriffinLimKernels> usable_kernels() {
  std::vector<GriffinLimKernels> kernels = {baseline_griffin_lim_kernels()};
  if (best_griffin_lim_kernels().lanes != kernels.front().lanes) {
    kernels.push_back(best_griffin_lim_kernels());
  }
  return kernels;
}

// A sine that glides, with overtones, over a little noise: as close to a voice as a formula gets.
std::vector<float> voice(std::size_t samples) {
  std::vector<float> wave(samples);
  Noise noise;
  double phase = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const double t = static_cast<double>(i) / 22050;
    phase += 2 * std::numbers::pi * (140 + 30 * std::sin(2 * std::numbers::pi * 0.8 * t)) / 22050;
    double sample = 0;
    for (int k = 1; k <= 30; ++k) {
      const double formant = std::exp(-std::pow((k * 140 - 700 - 500 * std::sin(9 * t)) / 600, 2));
      sample += (0.02 + formant) / k * std::sin(k * phase);
    }
    wave[i] = static_cast<float>(0.2 * sample + 2e-3 * noise.next() / 32768);
  }
  return wave;
}

std::vector<float> samples_to_log_mel(std::span<const float> samples) {
  MelExtractor extractor;
  std::vector<float> mel(samples.size() / 256 * 80);
  extractor.extract(samples, mel);
  return mel;
}

double mean_difference(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(a[i] - b[i]);
  }
  return sum / static_cast<double>(a.size());
}

// Log-mel of a wave, made into a wave again: how far is its log-mel?
double copy_error(std::span<const float> wave, const GriffinLimConfig& config = {}) {
  const std::vector<float> mel = samples_to_log_mel(wave);
  const std::vector<float> copy = GriffinLim({}, config).synthesise(mel);
  return mean_difference(samples_to_log_mel(copy), mel);
}

class GriffinLimFftTest : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  void SetUp() override {
    const auto [log2, which] = GetParam();
    size_ = 1 << log2;
    const std::vector<GriffinLimKernels> kernels = usable_kernels();
    if (static_cast<std::size_t>(which) >= kernels.size()) {
      GTEST_SKIP() << "this machine has no faster kernels";
    }
    kernels_ = kernels[static_cast<std::size_t>(which)];
    work_.resize(static_cast<std::size_t>(size_ + 1) * static_cast<std::size_t>(kernels_.lanes));
    Noise noise;
    for (std::size_t i = 0; i < work_.size() - static_cast<std::size_t>(kernels_.lanes); ++i) {
      work_[i] = static_cast<float>(noise.next()) / 32768.0F;
    }
  }
  float value(const SimdBuffer& from, int index, int lane) const {
    const int at = index * kernels_.lanes + lane;
    return from[static_cast<std::size_t>(at)];
  }

  int size_ = 0;
  GriffinLimKernels kernels_;
  SimdBuffer work_;
};

TEST_P(GriffinLimFftTest, BackAndForthIsTheSignalTimesItsLength) {
  const FftPlan plan(size_);
  const GriffinLimProgram program{.fft_size = size_, .factors = plan.factors()};
  const SimdBuffer before = work_;

  kernels_.forward(program, work_.data());
  kernels_.inverse(program, work_.data());

  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_NEAR(work_[i] / static_cast<float>(size_), before[i], 2e-6) << i;
  }
}

TEST_P(GriffinLimFftTest, EveryBinLiesWhereThePlanSays) {
  const FftPlan plan(size_);
  const GriffinLimProgram program{.fft_size = size_, .factors = plan.factors()};
  const int lane = kernels_.lanes - 1;
  const SimdBuffer before = work_;

  kernels_.forward(program, work_.data());

  for (const int bin : {0, 1, 2, 3, size_ / 4, size_ / 2 - 1, size_ / 2}) {
    std::complex<double> sum = 0;
    for (int i = 0; i < size_; ++i) {
      const double turn = 2 * std::numbers::pi * (i * bin % size_) / size_;
      sum += std::polar(double{value(before, i, lane)}, -turn);
    }
    const BinPlace place = plan.unpadded_place(bin);
    EXPECT_NEAR(value(work_, place.re, lane), sum.real(), 1e-3) << bin;
    EXPECT_NEAR(std::abs(value(work_, place.im, lane)), std::abs(sum.imag()), 1e-3) << bin;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes,
                         GriffinLimFftTest,
                         testing::Combine(testing::Values(6, 7, 10, 11), testing::Values(0, 1)));

TEST(GriffinLimTest, AVoiceSurvivesTheWayThroughItsMel) {
  EXPECT_LT(copy_error(voice(44'032)), 0.15);
}

TEST(GriffinLimTest, IterationsAndMomentumHelp) {
  const std::vector<float> wave = voice(22'016);
  const double once = copy_error(wave, {.iterations = 1});
  const double classical = copy_error(wave, {.momentum = 0.0F});

  const double fast = copy_error(wave);

  EXPECT_LT(classical, 0.7 * once);
  EXPECT_LT(fast, classical);
}

// How far samples end apart on average that begin 0.000002 apart, for magnitudes that fill up what
// lies between the overtones of a voice.
double growth(const GriffinLimConfig& config) {
  constexpr std::size_t kBins = 513;
  const std::vector<float> wave = voice(44'032);
  const std::vector<float> mel = samples_to_log_mel(wave);
  std::vector<float> magnitudes(mel.size() / 80 * kBins);
  const MelInversion inversion{MelConfig{}};
  std::mt19937 random(3);
  std::normal_distribution<float> spread;
  for (std::size_t frame = 0; frame * 80 < mel.size(); ++frame) {
    const std::span<float> bins = std::span(magnitudes).subspan(frame * kBins, kBins);
    inversion.magnitudes(std::span(mel).subspan(frame * 80, 80), bins);
  }
  std::vector<float> beside = wave;
  for (float& sample : beside) {
    sample += 2e-6F * spread(random);
  }
  GriffinLim search({}, config);
  const std::vector<float> one = search.refine(mel, {.magnitudes = magnitudes, .samples = wave});
  const std::vector<float> other =
      search.refine(mel, {.magnitudes = magnitudes, .samples = beside});
  return mean_difference(one, other);
}

TEST(GriffinLimTest, DoubtKeepsRoundingSmall) {
  const double sure = growth({.iterations = 16});
  const double doubting = growth({.iterations = 16, .doubt = kDoubtOfPredictions});

  EXPECT_LT(doubting, 0.6 * sure);
}

TEST(GriffinLimTest, TheFirstAndTheLastFrameAreAsGoodAsTheRest) {
  const std::vector<float> wave = voice(22'016);
  const std::vector<float> mel = samples_to_log_mel(wave);
  const std::vector<float> copy = samples_to_log_mel(GriffinLim().synthesise(mel));

  const std::span<const float> before(mel);
  const std::span<const float> after(copy);

  EXPECT_LT(mean_difference(after.first(80), before.first(80)), 0.4);
  EXPECT_LT(mean_difference(after.last(80), before.last(80)), 0.4);
}

TEST(GriffinLimTest, EveryInstructionSetGivesAGoodCopy) {
  const std::vector<float> mel = samples_to_log_mel(voice(12'800));
  for (const GriffinLimKernels& kernels : usable_kernels()) {
    GriffinLim vocoder({}, {}, kernels);

    EXPECT_LT(mean_difference(samples_to_log_mel(vocoder.synthesise(mel)), mel), 0.17)
        << kernels.name;
  }
}

TEST(GriffinLimTest, OneObjectGivesTheSameSamplesAgain) {
  const std::vector<float> mel = samples_to_log_mel(voice(5'120));
  GriffinLim vocoder;
  const std::vector<float> first = vocoder.synthesise(mel);
  vocoder.synthesise(samples_to_log_mel(voice(8'192)));

  EXPECT_EQ(vocoder.synthesise(mel), first);
}

TEST(GriffinLimTest, HasOneHopOfSamplesForEachFrame) {
  EXPECT_EQ(GriffinLim().synthesise(std::vector<float>(80, -3.0F)).size(), 256);
  EXPECT_EQ(GriffinLim().synthesise(std::vector<float>(std::size_t{9} * 80, -3.0F)).size(),
            9 * 256);
  EXPECT_THAT(GriffinLim().synthesise({}), testing::IsEmpty());
}

TEST(GriffinLimTest, SilenceStaysSilent) {
  const std::vector<float> wave =
      GriffinLim().synthesise(std::vector<float>(std::size_t{40} * 80, std::log(1e-5F)));

  EXPECT_THAT(wave, testing::Each(testing::AllOf(testing::Gt(-2e-3F), testing::Lt(2e-3F))));
}

TEST(GriffinLimTest, ValuesThatAreNoNumbersGiveNumbers) {
  std::vector<float> mel(std::size_t{8} * 80, -4.0F);
  mel[100] = std::numeric_limits<float>::quiet_NaN();
  mel[200] = std::numeric_limits<float>::infinity();

  for (const float sample : GriffinLim().synthesise(mel)) {
    ASSERT_TRUE(std::isfinite(sample));
  }
}

TEST(GriffinLimTest, TheMagnitudesHaveTheBandsTheyWereMadeFrom) {
  const std::vector<float> mel = samples_to_log_mel(voice(5'120));
  const std::span<const float> frame = std::span(mel).subspan(std::size_t{8} * 80, 80);
  std::vector<float> bins(513);
  MelInversion(MelConfig{}).magnitudes(frame, bins);
  const MelReference reference(MelConfig{});

  double error = 0;
  for (int band = 0; band < 80; ++band) {
    double sum = 0;
    for (int bin = 0; bin < 513; ++bin) {
      sum += reference.weight(band, bin) * bins[static_cast<std::size_t>(bin)];
    }
    error += std::abs(std::log(sum) - frame[static_cast<std::size_t>(band)]) / 80;
  }

  EXPECT_LT(error, 0.02);
  EXPECT_THAT(bins, testing::Each(testing::Ge(0.0F)));
}

// Needs the real clips, which are not ours to distribute.
TEST(GriffinLimTest, LjSpeechSurvivesTheWayThroughItsMel) {
  const char* folder = std::getenv("QANAT_LJ_CLIPS");
  if (folder == nullptr) {
    GTEST_SKIP() << "QANAT_LJ_CLIPS does not name a folder with LJ001-0002.wav";
  }
  AudioDecoder decoder(SampleRate{22050});
  for (const char* name : {"LJ001-0002.wav", "LJ001-0008.wav"}) {
    const auto clip = decoder.decode(std::filesystem::path(folder) / name);
    ASSERT_TRUE(clip) << clip.failure().what;

    const double error = copy_error(clip.value());
    EXPECT_LT(error, 0.15) << name;
    RecordProperty(name, std::to_string(error));
  }
}

constexpr int kFrameSize = 1024;
constexpr int kFrameHop = 256;

// `wave` counts as silent outside.
float magnitude_of(std::span<const float> wave, int frame, int bin) {
  std::complex<double> sum = 0;
  for (int i = 0; i < kFrameSize; ++i) {
    const int at = frame * kFrameHop - (kFrameSize - kFrameHop) / 2 + i;
    if (at >= 0 && at < static_cast<int>(wave.size())) {
      const double angle = 2 * std::numbers::pi * i / kFrameSize;
      sum += (0.5 - 0.5 * std::cos(angle)) *
             static_cast<double>(wave[static_cast<std::size_t>(at)]) *
             std::polar(1.0, -angle * bin);
    }
  }
  return static_cast<float>(std::abs(sum));
}

// Magnitudes of the frames of a wave, [frames, 513].
std::vector<float> magnitudes_of(std::span<const float> wave) {
  const int frames = static_cast<int>(wave.size()) / kFrameHop;
  std::vector<float> all;
  for (int frame = 0; frame < frames; ++frame) {
    for (int bin = 0; bin <= kFrameSize / 2; ++bin) {
      all.push_back(magnitude_of(wave, frame, bin));
    }
  }
  return all;
}

// [frames, 80] of [frames, 513].
std::vector<float> mel_of_magnitudes(std::span<const float> magnitudes) {
  const MelFilterbank bank = make_mel_filterbank(MelConfig{});
  std::vector<float> mel;
  for (std::size_t frame = 0; frame < magnitudes.size() / 513; ++frame) {
    std::vector<double> bands(82, 0.0);  // one before the first, one behind the last
    std::size_t bin = 0;
    for (std::size_t side = 0; side < bank.side_ends.size(); ++side) {
      for (; bin < static_cast<std::size_t>(bank.side_ends[side]); ++bin) {
        const auto at = frame * 513 + static_cast<std::size_t>(bank.first_bin) + bin;
        const auto magnitude = static_cast<double>(magnitudes[at]);
        bands[side + 1] += static_cast<double>(bank.weights[bin].rising) * magnitude;
        bands[side] += static_cast<double>(bank.weights[bin].falling) * magnitude;
      }
    }
    for (std::size_t band = 0; band < 80; ++band) {
      mel.push_back(static_cast<float>(std::log(std::max(bands[band + 1], 1e-5))));
    }
  }
  return mel;
}

TEST(MelInversionTest, FittingPredictedMagnitudesGivesThemTheBands) {
  const std::vector<float> wave = voice(1024);
  std::vector<float> magnitudes = magnitudes_of(wave);
  const std::vector<float> mel = mel_of_magnitudes(magnitudes);
  for (std::size_t i = 0; i < magnitudes.size(); ++i) {
    magnitudes[i] *= i % 513 < 100 ? 2.0F : 0.5F;
  }
  const std::span<const float> second = std::span<const float>(magnitudes).subspan(513, 513);
  std::vector<float> frame(second.begin(), second.end());

  MelInversion(MelConfig{}).fit(std::span(mel).subspan(80, 80), frame);

  EXPECT_LT(mean_difference(mel_of_magnitudes(frame), std::span(mel).subspan(80, 80)), 0.02);
}

TEST(GriffinLimTest, RefiningASoundOfTheseMagnitudesLeavesIt) {
  const std::vector<float> wave = voice(2048);
  GriffinLim algorithm({}, {.iterations = 8});

  const std::vector<float> magnitudes = magnitudes_of(wave);
  const std::vector<float> found =
      algorithm.refine(mel_of_magnitudes(magnitudes), {.magnitudes = magnitudes, .samples = wave});

  ASSERT_EQ(found.size(), wave.size());
  EXPECT_LT(mean_difference(found, wave), 1e-5);
}

// What speech in chunks relies on: behind the frames that an iteration reaches, nothing differs.
TEST(GriffinLimTest, RefiningAPartThatBeginsWithAGroupOfFramesIsRefiningTheWhole) {
  constexpr std::size_t kFrames = 120;
  constexpr std::size_t kFirst = kMaxLanes;
  constexpr std::size_t kReached = 4 + 8 * 3;
  const std::vector<float> wave = voice(kFrames * 256);
  const std::vector<float> reversed(wave.rbegin(), wave.rend());
  std::vector<float> magnitudes(kFrames * 513);
  Noise noise;
  for (float& one : magnitudes) {
    one = std::abs(static_cast<float>(noise.next())) / 32768.0F;
  }
  const std::vector<float> mel = mel_of_magnitudes(magnitudes);
  GriffinLim algorithm({}, {.iterations = 8});

  const std::vector<float> whole =
      algorithm.refine(mel, {.magnitudes = magnitudes, .samples = reversed});
  const std::vector<float> part =
      algorithm.refine(std::span(mel).subspan(kFirst * 80),
                       {.magnitudes = std::span(magnitudes).subspan(kFirst * 513),
                        .samples = std::span(reversed).subspan(kFirst * 256)});

  const std::size_t same = (kFirst + kReached) * 256;
  EXPECT_TRUE(std::ranges::equal(std::span(whole).subspan(same),
                                 std::span(part).subspan(same - kFirst * 256)));
}

TEST(GriffinLimTest, RefiningASoundOfOtherPhasesChangesIt) {
  const std::vector<float> wave = voice(2048);
  GriffinLim algorithm({}, {.iterations = 8});

  const std::vector<float> magnitudes = magnitudes_of(wave);
  const std::vector<float> reversed(wave.rbegin(), wave.rend());
  const std::vector<float> found = algorithm.refine(
      mel_of_magnitudes(magnitudes), {.magnitudes = magnitudes, .samples = reversed});

  EXPECT_GT(mean_difference(found, wave), 1e-2);
}

}  // namespace
}  // namespace qanat
