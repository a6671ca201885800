#include "features/mel_extractor.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "base/error.h"
#include "features/mel_presets.h"
#include "features/mel_testing.h"

namespace qanat {
namespace {

template <typename Sample>
std::vector<float> log_mel(MelExtractor& extractor, const std::vector<Sample>& samples) {
  const auto count = SampleCount{static_cast<std::int64_t>(samples.size())};
  const FrameCount frames = mel_frames(count, extractor.config());
  std::vector<float> out(static_cast<std::size_t>(frames.value * extractor.config().mel_bins));
  extractor.extract(std::span<const Sample>(samples), out);
  return out;
}

template <typename Sample>
std::vector<float> log_mel(const MelConfig& config, const std::vector<Sample>& samples) {
  MelExtractor extractor(config);
  return log_mel(extractor, samples);
}

// Float against double precision differs by at most 4e-4 and 1.4e-6 in the mean on speech. A wrong
// window, scale, framing or logarithm is off by 1e-3 in the mean at least.
constexpr double kLargest = 2e-3;
constexpr double kMean = 1e-5;

struct Signal {
  const char* name;
  std::vector<float> samples;
};
// NOLINTNEXTLINE(readability-identifier-naming): the name GoogleTest looks for
void PrintTo(const Signal& signal, std::ostream* out) {
  *out << signal.name;
}

std::vector<float> impulse() {
  std::vector<float> samples(3000, 0.0F);
  samples[1234] = 1.0F;
  return samples;
}

class MelSignalTest : public testing::TestWithParam<Signal> {};
INSTANTIATE_TEST_SUITE_P(Signals,
                         MelSignalTest,
                         testing::Values(Signal{"noise", to_float(stepped_noise(20'000))},
                                         Signal{"chirp", chirp(9000, 0.3)},
                                         Signal{"full_scale", chirp(9000, 1.0)},
                                         Signal{"silence", std::vector<float>(3000, 0.0F)},
                                         Signal{"impulse", impulse()},
                                         Signal{"constant", std::vector<float>(3000, 1.0F)}));

TEST_P(MelSignalTest, EqualsDoublePrecision) {
  const std::vector<double> expected = MelReference({}).log_mel(GetParam().samples);

  const std::vector<float> got = log_mel(MelConfig{}, GetParam().samples);

  ASSERT_EQ(got.size(), expected.size());
  EXPECT_LT(difference(got, expected).largest, kLargest);
  EXPECT_LT(difference(got, expected).mean, kMean);
}

std::vector<std::string> names_of(const std::vector<MelKernels>& kernels) {
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const MelKernels& one : kernels) {
    names.emplace_back(one.name);
  }
  return names;
}

TEST_P(MelSignalTest, KernelsOfEveryInstructionSetAgree) {
  MelExtractor baseline({}, baseline_mel_kernels());
  const std::vector<float> expected = log_mel(baseline, GetParam().samples);
  const std::vector<double> exact(expected.begin(), expected.end());
  for (const MelKernels& kernels : usable_mel_kernels()) {
    SCOPED_TRACE(kernels.name);
    MelExtractor extractor({}, kernels);

    const std::vector<float> got = log_mel(extractor, GetParam().samples);

    EXPECT_LT(difference(got, exact).largest, kLargest);
    EXPECT_LT(difference(got, exact).mean, kMean);
  }
}

TEST(MelKernelsTest, TheFastestComeFirstAndThePortableOnesLast) {
  const std::vector<MelKernels> usable = usable_mel_kernels();

  EXPECT_EQ(names_of(usable).back(), "baseline");
  EXPECT_TRUE(std::ranges::is_sorted(usable, std::greater{}, &MelKernels::lanes));
}

// On machines with one set of them, or none, there is nothing to compare.
std::vector<MelKernels> fused_mel_kernels() {
  std::vector<MelKernels> fused = usable_mel_kernels();
  fused.pop_back();
  return fused;
}

// Around one and two frames in each lane.
class MelKernelsLengthTest : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Frames,
                         MelKernelsLengthTest,
                         testing::Values(1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 79, 80, 81, 447));

TEST_P(MelKernelsLengthTest, ThoseThatFuseProductsAndSumsAgreeToTheBit) {
  const std::vector<std::int16_t> pcm = stepped_noise(GetParam() * 256 + 100);
  std::vector<std::vector<float>> made;
  for (const MelKernels& kernels : fused_mel_kernels()) {
    MelExtractor extractor({}, kernels);
    made.push_back(log_mel(extractor, pcm));
  }

  EXPECT_EQ(std::ranges::adjacent_find(made, std::not_equal_to{}), made.end());
}

// Every number between 1 and 4, and some of every other size that a level may have.
TEST(MelKernelsTest, RootsAreThoseOfTheStandardLibrary) {
  std::vector<float> numbers;
  for (float number = 1; number < 4; number = std::nextafter(number, 5.0F)) {
    numbers.push_back(number);
  }
  for (float number = 0x1p-99F; number < 0x1p99F; number *= 1.00123F) {
    numbers.push_back(number);
  }
  numbers.resize(numbers.size() / 48 * 48);
  for (const MelKernels& kernels : usable_mel_kernels()) {
    SimdBuffer roots(numbers.begin(), numbers.end());

    kernels.take_roots(roots.data(), std::ssize(numbers) / kernels.lanes);

    std::size_t wrong = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      wrong += roots[i] == std::sqrt(numbers[i]) ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U) << kernels.name;
  }
}

struct NamedConfig {
  const char* name;
  MelConfig config;
};
// NOLINTNEXTLINE(readability-identifier-naming): the name GoogleTest looks for
void PrintTo(const NamedConfig& named, std::ostream* out) {
  *out << named.name;
}

MelConfig small(int fft_size, int hop, int window) {
  return {.fft_size = fft_size, .hop = hop, .window = window, .mel_bins = 13};
}

class MelConfigsTest : public testing::TestWithParam<std::tuple<std::size_t, NamedConfig>> {};
INSTANTIATE_TEST_SUITE_P(
    Configs,
    MelConfigsTest,
    testing::Combine(testing::Range(std::size_t{0}, usable_mel_kernels().size()),
                     testing::Values(NamedConfig{"to the last bin",
                                                 {.mel_bins = 100, .fmin = 30, .fmax = 11025}},
                                     NamedConfig{"short window", {.window = 800}},
                                     NamedConfig{"hop that divides nothing", {.hop = 300}},
                                     NamedConfig{"no overlap", {.hop = 1024}},
                                     NamedConfig{"odd hop and window", {.hop = 77, .window = 501}},
                                     NamedConfig{"64 points", small(64, 16, 64)},
                                     NamedConfig{"64 points, every sample", small(64, 1, 63)},
                                     NamedConfig{"128 points", small(128, 32, 100)},
                                     NamedConfig{"256 points", small(256, 256, 256)},
                                     NamedConfig{"512 points", small(512, 128, 512)},
                                     NamedConfig{"2048 points", small(2048, 512, 2048)},
                                     NamedConfig{"4096 points", small(4096, 1000, 4096)},
                                     NamedConfig{"zeros around", {.padding = MelPadding::zero}},
                                     NamedConfig{"power", {.spectrum = MelSpectrum::power}},
                                     NamedConfig{"added floor", {.floor = MelFloor::add}},
                                     NamedConfig{"matcha", *find_mel_preset("matcha")},
                                     NamedConfig{"nemo", *find_mel_preset("nemo")},
                                     NamedConfig{"f5", *find_mel_preset("f5")},
                                     NamedConfig{"styletts2", *find_mel_preset("styletts2")},
                                     NamedConfig{"tacotron2", *find_mel_preset("tacotron2")})));

TEST_P(MelConfigsTest, EqualDoublePrecision) {
  const MelConfig config = std::get<1>(GetParam()).config;
  const std::vector<float> samples =
      chirp(static_cast<std::size_t>(std::min(20 * config.hop + 3, 6000)), 0.5);
  const std::vector<double> expected = MelReference(config).log_mel(samples);
  MelExtractor extractor(config, usable_mel_kernels()[std::get<0>(GetParam())]);

  const std::vector<float> got = log_mel(extractor, samples);

  ASSERT_EQ(got.size(), expected.size());
  EXPECT_LT(difference(got, expected).largest, kLargest);
  EXPECT_LT(difference(got, expected).mean, kMean);
}

TEST_P(MelConfigsTest, AgreesToTheBitWithOthersThatFuseProductsAndSums) {
  const auto& [which, named] = GetParam();
  const std::vector<MelKernels> fused = fused_mel_kernels();
  if (which >= fused.size()) {
    GTEST_SKIP() << "the portable kernels";
  }
  const std::vector<float> samples =
      chirp(static_cast<std::size_t>(named.config.hop) * 40 + 3, 0.5);
  MelExtractor extractor(named.config, fused[which]);
  MelExtractor other(named.config, fused.back());

  EXPECT_EQ(log_mel(extractor, samples), log_mel(other, samples));
}

// Clips around and below the reach of a frame, which is mirrored to and fro.
class MelShortClipTest : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Lengths,
                         MelShortClipTest,
                         testing::Values(0, 1, 2, 3, 7, 8, 9, 24, 25, 30, 63, 64, 65, 127, 200));

TEST_P(MelShortClipTest, EqualsDoublePrecision) {
  const MelConfig config{.fft_size = 64, .hop = 1, .window = 64, .mel_bins = 13};
  const std::vector<float> samples = to_float(stepped_noise(GetParam()));
  const std::vector<double> expected = MelReference(config).log_mel(samples);

  const std::vector<float> got = log_mel(config, samples);

  ASSERT_EQ(got.size(), GetParam() * 13);
  EXPECT_LT(difference(got, expected).largest, kLargest);
}

struct Golden {
  std::size_t frame;
  std::size_t band;
  double value;
};

void expect_golden(const std::vector<float>& mel, double mean, const std::vector<Golden>& values) {
  double sum = 0;
  for (const float value : mel) {
    sum += value;
  }
  EXPECT_NEAR(sum / static_cast<double>(mel.size()), mean, kMean);
  for (const Golden& golden : values) {
    EXPECT_NEAR(mel.at(golden.frame * 80 + golden.band), golden.value, kLargest / 20)
        << "frame " << golden.frame << " band " << golden.band;
  }
}

// Made with numpy in double precision.
TEST(MelExtractorTest, NoiseHasTheGoldenValues) {
  expect_golden(log_mel(MelConfig{}, stepped_noise(20'000)),
                -2.774027,
                {{0, 0, -0.959090},
                 {0, 79, -0.616979},
                 {7, 10, -0.948211},
                 {30, 40, -3.132053},
                 {63, 20, -1.917085},
                 {63, 79, -1.507581},
                 {77, 0, -1.862456},
                 {77, 79, -1.395040}});
}

TEST(MelExtractorTest, AClipShorterThanTheReachHasTheGoldenValues) {
  const std::vector<float> mel = log_mel(MelConfig{}, stepped_noise(300));

  ASSERT_EQ(mel.size(), 80U);
  EXPECT_NEAR(mel[0], -1.15129284, 1e-5);
  EXPECT_NEAR(mel[40], -0.35539997, 1e-5);
  EXPECT_NEAR(mel[79], -0.64606529, 1e-5);
}

// Needs the real clips, which are not ours to distribute.
std::vector<std::int16_t> lj_clip(const std::string& name) {
  const char* folder = std::getenv("QANAT_LJ_CLIPS");
  if (folder == nullptr) {
    return {};
  }
  AudioDecoder decoder(SampleRate{22050});
  const auto clip = decoder.decode_pcm16(std::filesystem::path(folder) / (name + ".wav"));
  EXPECT_TRUE(clip) << clip.failure().what;
  return {clip.value().begin(), clip.value().end()};
}

TEST(MelExtractorTest, LjSpeech2HasTheGoldenValues) {
  const std::vector<std::int16_t> clip = lj_clip("LJ001-0002");
  if (clip.empty()) {
    GTEST_SKIP() << "QANAT_LJ_CLIPS does not name a folder with LJ001-0002.wav";
  }
  expect_golden(log_mel(MelConfig{}, clip),
                -5.134992,
                {{0, 0, -7.526077},
                 {50, 0, -7.791163},
                 {50, 10, -3.796933},
                 {50, 40, -6.766739},
                 {50, 79, -9.168501},
                 {100, 20, -3.063796},
                 {120, 60, -5.654214},
                 {162, 79, -9.637940}});
}

TEST(MelExtractorTest, LjSpeech8HasTheGoldenValues) {
  const std::vector<std::int16_t> clip = lj_clip("LJ001-0008");
  if (clip.empty()) {
    GTEST_SKIP() << "QANAT_LJ_CLIPS does not name a folder with LJ001-0008.wav";
  }
  expect_golden(log_mel(MelConfig{}, clip),
                -5.156113,
                {{0, 0, -5.986680},
                 {50, 10, -0.981368},
                 {50, 40, -3.506380},
                 {100, 20, -0.956181},
                 {152, 79, -9.445960}});
}

TEST(MelExtractorTest, SilenceIsTheLogarithmOfTheFloor) {
  EXPECT_THAT(log_mel(MelConfig{}, std::vector<float>(2000, 0.0F)),
              testing::Each(testing::FloatEq(std::log(1e-5F))));
}

TEST(MelExtractorTest, SixteenBitAndFloatSamplesAgreeToTheBit) {
  const std::vector<std::int16_t> pcm = stepped_noise(20'123);

  EXPECT_EQ(log_mel(MelConfig{}, pcm), log_mel(MelConfig{}, to_float(pcm)));
}

// With 80 bands, every frame begins on a cache line; with 13, it does not.
class MelUseTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Bands, MelUseTest, testing::Values(80, 13));

TEST_P(MelUseTest, ChangesNothing) {
  const MelConfig config{.mel_bins = GetParam()};
  const std::vector<std::int16_t> pcm = stepped_noise(20'123);
  MelExtractor extractor(config);
  const std::vector<float> expected = log_mel(extractor, pcm);
  SimdBuffer whole(expected.size() + 1, -1.0F);

  extractor.extract(
      std::span<const std::int16_t>(pcm), std::span(whole).first(expected.size()), MelUse::later);

  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), whole.begin()));
  EXPECT_EQ(whole.back(), -1.0F);

  extractor.extract(
      std::span<const std::int16_t>(pcm), std::span(whole).last(expected.size()), MelUse::later);

  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), whole.begin() + 1));
}

TEST(MelExtractorTest, InstancesAndCopiesAgreeToTheBit) {
  const std::vector<std::int16_t> pcm = stepped_noise(20'000);
  MelExtractor first;
  const std::vector<float> expected = log_mel(first, pcm);
  log_mel(first, stepped_noise(3000));
  MelExtractor copy = first;

  EXPECT_EQ(log_mel(copy, pcm), expected);
  EXPECT_EQ(log_mel(first, pcm), expected);
  EXPECT_EQ(log_mel(MelConfig{}, pcm), expected);
}

// By how many hops the same sound comes later.
class MelFramePlaceTest : public testing::TestWithParam<std::ptrdiff_t> {};
INSTANTIATE_TEST_SUITE_P(Hops, MelFramePlaceTest, testing::Values(1, 2, 3, 7, 8, 23, 24, 25));

TEST_P(MelFramePlaceTest, DoesNotChangeABit) {
  const std::vector<std::int16_t> whole = stepped_noise(std::size_t{60} * 256);
  const std::vector<std::int16_t> later(whole.begin() + GetParam() * 256, whole.end());
  const std::vector<float> expected = log_mel(MelConfig{}, whole);

  const std::vector<float> got = log_mel(MelConfig{}, later);

  // The first two frames reach back before the begin.
  EXPECT_TRUE(std::equal(got.begin() + std::ptrdiff_t{2} * 80,
                         got.end(),
                         expected.begin() + (GetParam() + 2) * 80,
                         expected.end()));
}

TEST(MelExtractorTest, AClipLeavesNothingBehindForTheNext) {
  const std::vector<std::int16_t> pcm = stepped_noise(256 * 9 + 100);
  std::vector<std::int16_t> shorter(pcm.begin(), pcm.begin() + std::ptrdiff_t{3} * 256);
  MelExtractor extractor;
  const std::vector<float> expected = log_mel(extractor, shorter);
  log_mel(extractor, pcm);

  EXPECT_EQ(log_mel(extractor, shorter), expected);
}

TEST(MelExtractorTest, AnUnusableConfigIsAnErrorNamingAllProblems) {
  try {
    const MelExtractor extractor({.fft_size = 1000, .fmax = 20000});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("fft_size: 1000; expected"));
    EXPECT_THAT(error.what(), testing::HasSubstr("fmax: 20000; expected"));
  }
}

TEST(MelExtractorDeathTest, AnOutputOfTheWrongSizeIsABug) {
  MelExtractor extractor;
  const std::vector<float> samples(1000);
  std::vector<float> out(80);

  EXPECT_DEATH(extractor.extract(samples, out), "80 values for 3 frames of 80");
}

}  // namespace
}  // namespace qanat
