#include "vocoder/generator.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "vocoder/vocoder_testing.h"

namespace qanat {
namespace {

VocoderGenerator make_generator(std::uint64_t seed = 1) {
  torch::manual_seed(seed);
  return VocoderGenerator(small_vocoder());
}

TEST(VocoderGeneratorTest, MakesAHopOfSamplesPerFrame) {
  VocoderGenerator generator = make_generator();

  EXPECT_EQ(generator->forward(some_mel(2, 11)).sizes(), torch::IntArrayRef({2, 11 * 256}));
}

TEST(VocoderGeneratorTest, IsAboutAsLoudAsItsInputBeforeItHasLearned) {
  VocoderGenerator generator = make_generator();
  const LogMel log_mel(small_vocoder().mel, torch::kCPU);
  const torch::NoGradGuard no_grad;
  const torch::Tensor mel = log_mel.of(noise(1, 40 * 256));

  const torch::Tensor made = log_mel.of(generator->forward(mel));

  EXPECT_LT((made.mean() - mel.mean()).abs().item<double>(), 1.5);
}

std::map<std::string, torch::Tensor> gradients(VocoderGenerator& generator,
                                               torch::ScalarType type) {
  generator->to(type);
  generator->zero_grad();
  const torch::Tensor samples = generator->forward(some_mel(2, 9).to(type));
  torch::manual_seed(9);
  (samples * torch::randn(samples.sizes(), torch::kFloat64).to(type)).sum().backward();
  std::map<std::string, torch::Tensor> found;
  for (const auto& parameter : generator->named_parameters()) {
    found[parameter.key()] = parameter.value().grad().to(torch::kFloat64).clone();
  }
  return found;
}

TEST(VocoderGeneratorTest, HasTheGradientOfDoublePrecision) {
  VocoderGenerator generator = make_generator();
  const auto single = gradients(generator, torch::kFloat32);

  for (const auto& [name, exact] : gradients(generator, torch::kFloat64)) {
    EXPECT_LT(((single.at(name) - exact).norm() / exact.norm()).item<double>(), 1e-4) << name;
  }
}

// How far the magnitudes of a sound are from those that were predicted for it.
double contradiction(std::int64_t refinements) {
  VocoderShape shape = small_vocoder();
  shape.refinements = refinements;
  torch::manual_seed(1);
  VocoderGenerator generator(shape);
  const torch::NoGradGuard no_grad;
  const torch::Tensor mel = LogMel(shape.mel, torch::kCPU).of(noise(1, 40 * 256));
  generator->eval();
  const Stft stft({}, torch::kCPU);
  const VocoderGeneratorImpl::Sound sound = generator->generate(mel);
  const std::vector<float> samples = PhaseRefiner(shape).refine(mel, sound);
  return (stft.magnitude(torch::tensor(samples).unsqueeze(0)) - sound.magnitude)
      .norm()
      .item<double>();
}

TEST(VocoderGeneratorTest, RefinementsMakeFramesAgree) {
  EXPECT_LT(contradiction(8), 0.8 * contradiction(0));
}

class ChunksTest : public testing::TestWithParam<std::int64_t> {};

TEST_P(ChunksTest, TogetherAreTheWhole) {
  VocoderGenerator generator = make_generator();
  const torch::NoGradGuard no_grad;
  const torch::Tensor mel = some_mel(1, 61);
  std::vector<torch::Tensor> parts;

  generate_in_chunks(generator, mel[0], GetParam(), [&](const torch::Tensor& samples) {
    parts.push_back(samples);
  });

  const torch::Tensor whole = generator->forward(mel)[0];
  const torch::Tensor joined = torch::cat(parts);
  ASSERT_EQ(joined.sizes(), whole.sizes());
  EXPECT_EQ(parts.size(), static_cast<std::size_t>((61 + GetParam() - 1) / GetParam()));
  EXPECT_LT((joined - whole).abs().max().item<double>(), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(, ChunksTest, testing::Values(1, 10, 37, 100));

}  // namespace
}  // namespace qanat
