#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "audio/audio_decoder.h"
#include "audio/audio_header.h"
#include "audio/test_audio.h"

namespace qanat {
namespace {

std::vector<float> resample(const std::vector<float>& input, int from, int to) {
  Resampler resampler(SampleRate{from}, SampleRate{to});
  std::vector<float> output;
  resampler.push(input, output);
  resampler.finish(output);
  return output;
}

// Amplitude of one frequency in the middle of a signal, away from the edges of the filter.
double amplitude(const std::vector<float>& wave, double hertz, int rate) {
  const std::size_t margin = wave.size() / 4;
  const auto length = static_cast<double>(wave.size() - 2 * margin);
  std::complex<double> sum = 0;
  double weights = 0;
  for (std::size_t i = margin; i < wave.size() - margin; ++i) {
    const double place = static_cast<double>(i - margin) / length;
    const double window = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * place);
    const double angle = -2 * std::numbers::pi * hertz * static_cast<double>(i) / rate;
    sum += window * static_cast<double>(wave[i]) * std::polar(1.0, angle);
    weights += window;
  }
  return 2 * std::abs(sum) / weights;
}

std::size_t two_seconds(int rate) {
  return 2 * static_cast<std::size_t>(rate);
}

struct Rates {
  int from;
  int to;
};

class ResamplerTest : public testing::TestWithParam<Rates> {};

TEST_P(ResamplerTest, KeepsFrequencyAndAmplitudeOfASine) {
  const auto [from, to] = GetParam();

  const std::vector<float> wave = resample(sine(440, from, two_seconds(from)), from, to);

  EXPECT_NEAR(amplitude(wave, 440, to), 0.5, 1e-4);
  EXPECT_LT(amplitude(wave, 460, to), 1e-4);
}

TEST_P(ResamplerTest, KeepsTheSineInItsPlace) {
  const auto [from, to] = GetParam();

  const std::vector<float> wave = resample(sine(440, from, two_seconds(from)), from, to);

  const std::vector<float> expected = sine(440, to, wave.size());
  const std::size_t middle = wave.size() / 2;
  for (std::size_t i = middle; i < middle + 100; ++i) {
    ASSERT_NEAR(wave[i], expected[i], 1e-4) << "at sample " << i;
  }
}

TEST_P(ResamplerTest, KeepsAConstant) {
  const auto [from, to] = GetParam();

  const std::vector<float> wave = resample(std::vector<float>(two_seconds(from), 0.25F), from, to);

  EXPECT_NEAR(wave[wave.size() / 2], 0.25F, 1e-5);
}

TEST_P(ResamplerTest, ComesWithinASampleOfTheLengthPromised) {
  const auto [from, to] = GetParam();
  const std::size_t samples = 54'321;

  const std::vector<float> wave = resample(std::vector<float>(samples), from, to);

  const SampleCount promised = resampled_length(
      SampleCount{static_cast<std::int64_t>(samples)}, SampleRate{from}, SampleRate{to});
  EXPECT_NEAR(static_cast<double>(wave.size()), static_cast<double>(promised.value), 1);
}

INSTANTIATE_TEST_SUITE_P(Rates,
                         ResamplerTest,
                         testing::Values(Rates{8000, 22050},
                                         Rates{16000, 22050},
                                         Rates{24000, 22050},
                                         Rates{44100, 22050},
                                         Rates{48000, 22050},
                                         Rates{192000, 22050},
                                         Rates{11025, 24000}),
                         [](const auto& param) {
                           return std::to_string(param.param.from) + "To" +
                                  std::to_string(param.param.to);
                         });

TEST(ResamplerTest, RejectsWhatTheTargetRateCannotHold) {
  // 15 kHz would fold to 7050 Hz.
  const std::vector<float> wave = resample(sine(15'000, 48'000, 96'000), 48'000, 22'050);

  EXPECT_LT(amplitude(wave, 7'050, 22'050), 0.5 * 1e-5);  // -100 dB
}

TEST(ResamplerTest, DoesNotDependOnTheSizeOfThePieces) {
  const std::vector<float> input = sine(440, 16'000, 10'000);
  const std::vector<float> whole = resample(input, 16'000, 22'050);

  Resampler resampler(SampleRate{16'000}, SampleRate{22'050});
  std::vector<float> pieces;
  for (std::size_t i = 0; i < input.size(); i += 137) {
    resampler.push(std::span(input).subspan(i, std::min<std::size_t>(137, input.size() - i)),
                   pieces);
  }
  resampler.finish(pieces);

  EXPECT_EQ(pieces, whole);
}

TEST(ResampledLengthTest, RoundsToTheNearest) {
  EXPECT_EQ(resampled_length(SampleCount{16000}, SampleRate{16000}, SampleRate{22050}),
            SampleCount{22050});
  EXPECT_EQ(resampled_length(SampleCount{3}, SampleRate{2}, SampleRate{1}), SampleCount{2});
  EXPECT_EQ(resampled_length(SampleCount{7}, SampleRate{7}, SampleRate{7}), SampleCount{7});
  EXPECT_EQ(resampled_length(SampleCount{2'764'800'000}, SampleRate{768'000}, SampleRate{22'050}),
            SampleCount{79'380'000});
}

}  // namespace
}  // namespace qanat
