#include "vocoder/spectra.h"

#include <vector>

#include <gmock/gmock.h>

#include "features/mel_extractor.h"
#include "vocoder/vocoder_losses.h"
#include "vocoder/vocoder_testing.h"

namespace qanat {
namespace {

double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

TEST(StftTest, InverseGivesBackTheSamplesUpToTheirEnds) {
  const Stft stft({.fft_size = 1024, .hop = 256}, torch::kCPU);
  const torch::Tensor samples = noise(2, 20 * 256);

  const torch::Tensor back = stft.inverse(stft.spectrum(samples));

  ASSERT_EQ(back.sizes(), samples.sizes());
  EXPECT_LT(largest_difference(back, samples), 1e-6);
}

TEST(StftTest, InverseHasTheGradientOfDoublePrecision) {
  const Stft stft({.fft_size = 1024, .hop = 256}, torch::kCPU);
  const torch::Tensor parts = torch::randn({1, 6, 513, 2}, torch::kFloat64);
  const torch::Tensor weights = torch::randn({1, 6 * 256}, torch::kFloat64);
  const auto gradient = [&](torch::ScalarType type) {
    const torch::Tensor x = parts.detach().to(type).clone().requires_grad_();
    (stft.inverse(torch::view_as_complex(x)) * weights.to(type)).sum().backward();
    return x.grad().to(torch::kFloat64);
  };

  const torch::Tensor exact = gradient(torch::kFloat64);

  EXPECT_LT(((gradient(torch::kFloat32) - exact).norm() / exact.norm()).item<double>(), 1e-5);
}

TEST(LogMelTest, IsThatOfTheNativeExtractor) {
  const torch::Tensor samples = noise(1, 30 * 256);
  const MelConfig config;
  std::vector<float> native(30U * 80U);
  MelExtractor(config).extract({samples.data_ptr<float>(), 30U * 256U}, native);

  const torch::Tensor mel = LogMel(config, torch::kCPU).of(samples);

  ASSERT_EQ(mel.sizes(), torch::IntArrayRef({1, 80, 30}));
  EXPECT_LT(largest_difference(mel[0].t(), torch::from_blob(native.data(), {30, 80})), 2e-3);
}

TEST(StftLossTest, IsZeroForTheSameSoundAndOneForSilenceInItsConvergence) {
  const StftLoss loss(torch::kCPU);
  const torch::Tensor samples = noise(2, 16 * 256);

  EXPECT_LT(loss.of(samples, samples).max().item<double>(), 1e-4);
  EXPECT_GT(loss.of(torch::zeros_like(samples), samples).min().item<double>(), 1);
}

}  // namespace
}  // namespace qanat
