#include "features/mel_filterbank.h"

#include <gtest/gtest.h>

#include "features/mel_testing.h"

namespace qanat {
namespace {

// [mel_bins, fft_size / 2 + 1]
std::vector<double> dense(const MelFilterbank& bank, const MelConfig& config) {
  const auto width = static_cast<std::size_t>(config.fft_size) / 2 + 1;
  std::vector<double> matrix(width * static_cast<std::size_t>(config.mel_bins), 0.0);
  std::size_t i = 0;
  for (std::size_t side = 0; side < bank.side_ends.size(); ++side) {
    for (; i < static_cast<std::size_t>(bank.side_ends[side]); ++i) {
      const std::size_t bin = static_cast<std::size_t>(bank.first_bin) + i;
      if (side + 1 < bank.side_ends.size()) {
        matrix[side * width + bin] += bank.weights[i].rising;
      }
      if (side > 0) {
        matrix[(side - 1) * width + bin] += bank.weights[i].falling;
      }
    }
  }
  return matrix;
}

// Values of librosa's and torchaudio's slaney/slaney filterbank in double precision.
TEST(MelFilterbankTest, DefaultHasTheGoldenValues) {
  const std::vector<double> matrix = dense(make_mel_filterbank({}), {});
  const auto at = [&](std::size_t band, std::size_t bin) { return matrix[band * 513 + bin]; };
  double sum = 0;
  int non_zeros = 0;
  double largest = 0;

  for (const double weight : matrix) {
    sum += weight;
    non_zeros += weight != 0 ? 1 : 0;
    largest = std::max(largest, weight);
  }

  EXPECT_NEAR(sum, 3.713688202, 1e-7);
  EXPECT_EQ(non_zeros, 727);
  EXPECT_NEAR(largest, 0.02649, 5e-6);
  EXPECT_NEAR(at(0, 1), 0.0155277208, 1e-9);
  EXPECT_NEAR(at(0, 2), 0.0226513902, 2e-9);
  EXPECT_NEAR(at(40, 80), 0.0148954699, 1e-9);
  EXPECT_NEAR(at(79, 358), 0.00326599283, 1e-9);
}

class MelFilterbankConfigTest : public testing::TestWithParam<MelConfig> {};
INSTANTIATE_TEST_SUITE_P(
    Configs,
    MelFilterbankConfigTest,
    testing::Values(
        MelConfig{},
        MelConfig{.fmax = 11025},             // to the last bin
        MelConfig{.fmin = 55, .fmax = 7600},  // edges between bins
        MelConfig{
            .fft_size = 256, .hop = 64, .window = 256, .mel_bins = 128},  // bands without a bin
        MelConfig{.mel_bins = 1},
        MelConfig{.sample_rate = SampleRate{16000}, .fft_size = 512, .window = 400, .fmax = 8000}));

TEST_P(MelFilterbankConfigTest, EqualsTheTriangles) {
  const MelConfig config = GetParam();
  const MelReference reference(config);
  const std::vector<double> matrix = dense(make_mel_filterbank(config), config);
  const int width = config.fft_size / 2 + 1;
  double largest = 0;

  for (int band = 0; band < config.mel_bins; ++band) {
    for (int bin = 0; bin < width; ++bin) {
      const int at = band * width + bin;
      const double got = matrix[static_cast<std::size_t>(at)];
      largest = std::max(largest, std::abs(got - reference.weight(band, bin)));
    }
  }

  EXPECT_LT(largest, 2e-8);
}

TEST(MelFilterbankTest, APositionIsLinearBelowOneKilohertzAndLogarithmicAbove) {
  const MelConfig config;  // 0 to 8 kHz

  EXPECT_DOUBLE_EQ(mel_position(0, config), 0);
  EXPECT_DOUBLE_EQ(mel_position(8000, config), 1);
  EXPECT_DOUBLE_EQ(mel_position(1000, config), 2 * mel_position(500, config));
  EXPECT_NEAR(mel_position(2000, config) - mel_position(1000, config),
              mel_position(4000, config) - mel_position(2000, config),
              1e-12);
}

}  // namespace
}  // namespace qanat
