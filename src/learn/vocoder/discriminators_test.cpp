#include "vocoder/discriminators.h"

#include <gmock/gmock.h>

#include "vocoder/vocoder_testing.h"

namespace qanat {
namespace {

VocoderDiscriminators make_discriminators() {
  torch::manual_seed(2);
  return VocoderDiscriminators(small_vocoder().discriminators);
}

TEST(VocoderDiscriminatorsTest, JudgeEveryRowByItself) {
  VocoderDiscriminators networks = make_discriminators();
  const torch::Tensor samples = noise(3, 16 * 256 + 1);

  const torch::Tensor all = adversarial_loss(networks->judge(samples));
  const torch::Tensor one = adversarial_loss(networks->judge(samples.narrow(0, 1, 1)));

  EXPECT_EQ(all.size(0), 3);
  EXPECT_NEAR(all[1].item<double>(), one[0].item<double>(), 1e-6);
}

TEST(VocoderDiscriminatorsTest, LearnToTellTwoKindsOfSoundApart) {
  VocoderDiscriminators networks = make_discriminators();
  torch::optim::Adam adam(networks->parameters(), torch::optim::AdamOptions(1e-2));
  const torch::Tensor recorded = torch::sin(torch::arange(16 * 256) * 0.05).expand({2, -1}) * 0.1;
  const torch::Tensor made = noise(2, 16 * 256);
  double first = 0;
  double last = 0;

  for (int step = 0; step < 40; ++step) {
    adam.zero_grad();
    const torch::Tensor loss =
        discriminator_loss(networks->judge(recorded), networks->judge(made)).mean();
    loss.backward();
    adam.step();
    last = loss.item<double>();
    first = step == 0 ? last : first;
  }

  EXPECT_NEAR(first, 2, 0.5);  // they know nothing
  EXPECT_LT(last, 0.6 * first);
}

TEST(VocoderDiscriminatorsTest, TellTheGeneratorWhereToGo) {
  VocoderDiscriminators networks = make_discriminators();
  const torch::Tensor recorded = noise(1, 16 * 256, 4);
  const torch::Tensor made = noise(1, 16 * 256).requires_grad_();

  (adversarial_loss(networks->judge(made)) +
   feature_loss(networks->judge(recorded), networks->judge(made)))
      .sum()
      .backward();

  EXPECT_GT(made.grad().abs().max().item<double>(), 0);
  EXPECT_EQ(feature_loss(networks->judge(recorded), networks->judge(recorded)).item<double>(), 0);
}

}  // namespace
}  // namespace qanat
