#include "model/xtts_model.h"

#include <gmock/gmock.h>

#include "model/losses.h"
#include "model/model_testing.h"
#include "model/monotonic_search.h"

namespace qanat {
namespace {

std::int64_t count_parameters(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : module.parameters()) {
    count += parameter.numel();
  }
  return count;
}

struct PresetSize {
  ModelPreset preset;
  double parameters;
};

class PresetTest : public testing::TestWithParam<PresetSize> {};

TEST_P(PresetTest, HasThePromisedNumberOfParameters) {
  const XttsModel model(model_shape(GetParam().preset, 256));

  const auto parameters = static_cast<double>(count_parameters(*model));
  EXPECT_NEAR(parameters / GetParam().parameters, 1, 0.03) << parameters;
}

INSTANTIATE_TEST_SUITE_P(XttsModel,
                         PresetTest,
                         testing::Values(PresetSize{ModelPreset::nano, 1.63e6},
                                         PresetSize{ModelPreset::tiny, 6.3e6},
                                         PresetSize{ModelPreset::small, 21.0e6},
                                         PresetSize{ModelPreset::normal, 53.3e6},
                                         PresetSize{ModelPreset::big, 162e6}));

TEST(XttsModelTest, MakesMelOfTheTargetsShape) {
  torch::manual_seed(1);
  XttsModel model(model_shape(ModelPreset::nano, kTestVocabulary));
  const ModelBatch batch = make_test_batch(2);

  const Alignment alignment = model->align(batch);
  const torch::Tensor durations = monotonic_durations(
      alignment.log_probability.detach(), batch.token_lengths, batch.mel_lengths);
  const ModelOutput output = model->forward(batch, durations);
  const LossParts parts = row_losses(batch, alignment, output, durations);
  const torch::Tensor loss = weighted_loss(parts, LossWeights{}, batch.mel_lengths);
  loss.backward();

  EXPECT_EQ(output.mel.sizes(), batch.mel.sizes());
  EXPECT_TRUE(std::isfinite(loss.item<float>()));
  for (const auto& parameter : model->named_parameters()) {
    EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
  }
}

}  // namespace
}  // namespace qanat
