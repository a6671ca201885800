#include "model/xtts_model.h"

#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>

#include "model/autocast_state.h"
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

// nano with every optional part.
XttsModel make_model() {
  torch::manual_seed(1);
  ModelShape shape = model_shape(ModelPreset::nano, kTestVocabulary, 4);
  shape.postnet_width = 32;
  return XttsModel(shape);
}

ModelBatch make_batch() {
  ModelBatch batch = make_test_batch(2);
  batch.speakers = torch::tensor({3, 0, 2}, torch::kInt64);
  batch.reference_lengths[2] = 0;
  return batch;
}

LossWeights all_weights() {
  LossWeights weights;
  weights.binarisation = 0.1;
  return weights;
}

struct Outcome {
  ModelOutput output;
  LossParts parts;
};

Outcome run(XttsModel& model, const ModelBatch& batch) {
  const torch::Tensor durations = even_durations(batch);
  const ModelOutput output = model->forward(batch, durations);
  return {output, row_losses(batch, model->align(batch), output, durations)};
}

torch::Tensor all_parts(const LossParts& p) {  // [6, B]
  return torch::stack({p.mel, p.postnet_mel, p.prior, p.forward_sum, p.binarisation, p.duration});
}

std::vector<torch::Tensor> gradients(XttsModel& model) {
  std::vector<torch::Tensor> result;
  for (const torch::Tensor& parameter : model->parameters()) {
    result.push_back(parameter.grad().defined() ? parameter.grad().clone()
                                                : torch::zeros_like(parameter));
  }
  model->zero_grad();
  return result;
}

// The rows [begin, end) of a batch, still padded as they were.
ModelBatch rows_of(const ModelBatch& b, std::int64_t begin, std::int64_t end) {
  const auto cut = [&](const torch::Tensor& x) { return x.slice(0, begin, end); };
  return {cut(b.tokens),
          cut(b.token_lengths),
          cut(b.mel),
          cut(b.mel_lengths),
          cut(b.reference),
          cut(b.reference_lengths),
          cut(b.speakers),
          cut(b.mel_weights)};
}

// More tokens, frames and reference behind the ends, holding anything.
ModelBatch padded_further(const ModelBatch& b) {
  ModelBatch more = b;
  const std::int64_t rows = b.tokens.size(0);
  more.tokens = torch::cat({b.tokens, torch::full({rows, 5}, 7, torch::kInt64)}, 1);
  more.mel = torch::cat({b.mel, torch::full({rows, 13, 80}, 3.F)}, 1);
  more.reference = torch::cat({b.reference, torch::full({rows, 9, 80}, -2.F)}, 1);
  more.mel_weights = torch::cat({b.mel_weights, torch::zeros({rows, 13})}, 1);
  return more;
}

// Changes what lies behind the end of each row.
ModelBatch with_other_padding(const ModelBatch& b) {
  ModelBatch other = b;
  other.tokens = b.tokens.clone();
  other.mel = b.mel.clone();
  other.reference = b.reference.clone();
  for (std::int64_t row = 0; row < b.tokens.size(0); ++row) {
    const auto length = [&](const torch::Tensor& x) { return x[row].item<std::int64_t>(); };
    other.tokens[row].slice(0, length(b.token_lengths)).fill_(11);
    other.mel[row].slice(0, length(b.mel_lengths)).fill_(4);
    other.reference[row].slice(0, length(b.reference_lengths)).fill_(-9);
  }
  return other;
}

TEST(XttsModelTest, TeachesEveryParameter) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();

  const Outcome result = run(model, batch);
  weighted_loss(result.parts, all_weights(), batch.mel_lengths).backward();

  EXPECT_EQ(result.output.mel.sizes(), batch.mel.sizes());
  for (const auto& parameter : model->named_parameters()) {
    const torch::Tensor gradient = parameter.value().grad();
    ASSERT_TRUE(gradient.defined()) << parameter.key();
    EXPECT_GT(gradient.abs().max().item<float>(), 0) << parameter.key();
    EXPECT_TRUE(torch::isfinite(gradient).all().item<bool>()) << parameter.key();
  }
}

TEST(XttsModelTest, LosesNothingWhenABatchIsPaddedFurther) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();

  const torch::Tensor before = all_parts(run(model, batch).parts);
  const torch::Tensor after = all_parts(run(model, padded_further(batch)).parts);

  EXPECT_LT((after - before).abs().max().item<double>(), 1e-5);
}

TEST(XttsModelTest, LosesNothingWhenARowIsAlone) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();

  const torch::Tensor together = all_parts(run(model, batch).parts);
  const torch::Tensor alone = all_parts(run(model, rows_of(batch, 1, 2)).parts);

  EXPECT_LT((together.slice(1, 1, 2) - alone).abs().max().item<double>(), 1e-5);
}

TEST(XttsModelTest, DoesNotLookBehindTheEndOfARow) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();

  const Outcome before = run(model, batch);
  const Outcome after = run(model, with_other_padding(batch));

  const torch::Tensor real = batch.mel_weights.unsqueeze(2);
  EXPECT_LT(((after.output.mel - before.output.mel) * real).abs().max().item<double>(), 1e-6);
  EXPECT_LT((all_parts(after.parts) - all_parts(before.parts)).abs().max().item<double>(), 1e-6);
}

struct Place {
  const char* name;
  void (*change)(ModelBatch&);
};

class LastPositionTest : public testing::TestWithParam<Place> {};

// The other side of the masks: what is real counts, up to the very last position.
TEST_P(LastPositionTest, Counts) {
  XttsModel model = make_model();
  ModelBatch batch = make_batch();
  const torch::Tensor before = all_parts(run(model, batch).parts).select(1, 1);

  GetParam().change(batch);

  const torch::Tensor after = all_parts(run(model, batch).parts).select(1, 1);
  EXPECT_GT((after - before).abs().max().item<double>(), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    XttsModel,
    LastPositionTest,
    testing::Values(Place{"token",
                          [](ModelBatch& b) { b.tokens[1][11] = b.tokens[1][11] % 7 + 1; }},
                    Place{"frame", [](ModelBatch& b) { b.mel[1][49].fill_(2); }},
                    Place{"reference", [](ModelBatch& b) { b.reference[1][32].fill_(5); }},
                    Place{"speaker", [](ModelBatch& b) { b.speakers[1] = 1; }}),
    [](const auto& place) { return std::string(place.param.name); });

TEST(XttsModelTest, NothingOfAReferenceWithoutLengthIsHeard) {
  XttsModel model = make_model();
  ModelBatch batch = make_batch();
  const torch::Tensor before = run(model, batch).output.mel[2];

  batch.reference[2].fill_(1);

  EXPECT_TRUE(torch::equal(run(model, batch).output.mel[2], before));
}

TEST(XttsModelTest, ASpeakerIsHeardWithoutAReference) {
  XttsModel model = make_model();
  ModelBatch batch = make_batch();
  const torch::Tensor before = run(model, batch).output.mel[2];

  batch.speakers[2] = 1;

  EXPECT_GT((run(model, batch).output.mel[2] - before).abs().max().item<double>(), 1e-3);
}

TEST(XttsModelTest, AReferenceIsHeardWithoutASpeaker) {
  XttsModel model = make_model();
  ModelBatch batch = make_batch();
  batch.speakers.fill_(-1);
  const torch::Tensor before = run(model, batch).output.mel[0];

  batch.reference[0].fill_(1);

  EXPECT_GT((run(model, batch).output.mel[0] - before).abs().max().item<double>(), 1e-3);
}

TEST(XttsModelTest, SpeakersThatAreNotSaidAreNoEntriesOfTheTable) {
  XttsModel model = make_model();
  ModelBatch unsaid = make_batch();
  ModelBatch absent = make_batch();

  unsaid.speakers.fill_(-1);
  absent.speakers = torch::Tensor();

  EXPECT_TRUE(torch::equal(run(model, unsaid).output.mel, run(model, absent).output.mel));
}

TEST(XttsModelTest, AddsUpTheGradientsOfTheMicrobatchesOfABatch) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();
  weighted_loss(run(model, batch).parts, all_weights(), batch.mel_lengths).backward();
  const std::vector<torch::Tensor> whole = gradients(model);

  for (std::int64_t row = 0; row < 3; ++row) {
    const ModelBatch piece = rows_of(batch, row, row + 1);
    weighted_loss(run(model, piece).parts, all_weights(), piece.mel_lengths).backward();
  }

  const std::vector<torch::Tensor> summed = gradients(model);
  double squared_error = 0, squared = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    squared_error += (whole[i] - summed[i]).square().sum().item<double>();
    squared += whole[i].square().sum().item<double>();
  }
  EXPECT_LT(std::sqrt(squared_error / squared), 1e-5);
}

TEST(XttsModelTest, GivesTheSameBitsTwice) {
  XttsModel first = make_model();
  XttsModel second = make_model();
  const ModelBatch batch = make_batch();

  weighted_loss(run(first, batch).parts, all_weights(), batch.mel_lengths).backward();
  weighted_loss(run(second, batch).parts, all_weights(), batch.mel_lengths).backward();

  const std::vector<torch::Tensor> a = gradients(first), b = gradients(second);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(torch::equal(a[i], b[i])) << i;
  }
}

// bf16 while the scope lasts.
struct Autocast {
  Autocast() { autocast_state::turn(c10::DeviceType::CPU, true); }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast() {
    autocast_state::turn(c10::DeviceType::CPU, false);
    at::autocast::clear_cache();
  }
};

TEST(XttsModelTest, AlignsInSinglePrecisionUnderAutocast) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();
  const torch::Tensor before = model->align(batch).log_probability;

  const Autocast autocast;
  const torch::Tensor after = model->align(batch).log_probability;

  EXPECT_TRUE(torch::equal(before, after));
  const torch::Tensor one = torch::ones({1, 1});
  EXPECT_EQ(torch::mm(one, one).scalar_type(), torch::kBFloat16);  // on again behind it
}

TEST(XttsModelTest, TrainsUnderAutocast) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();
  const torch::Tensor exact = all_parts(run(model, batch).parts);

  const Outcome result = [&] {
    const Autocast autocast;
    return run(model, batch);
  }();
  weighted_loss(result.parts, all_weights(), batch.mel_lengths).backward();

  EXPECT_EQ(result.output.mel.scalar_type(), torch::kFloat32);
  EXPECT_LT(relative_error(all_parts(result.parts), exact), 0.05);
  for (const torch::Tensor& gradient : gradients(model)) {
    EXPECT_TRUE(torch::isfinite(gradient).all().item<bool>());
  }
}

SynthesisInput synthesis_of(const ModelBatch& batch) {
  return {.tokens = batch.tokens,
          .token_lengths = batch.token_lengths,
          .reference = batch.reference,
          .reference_lengths = batch.reference_lengths,
          .speakers = batch.speakers};
}

TEST(SynthesisTest, SpeaksARowTheSameAloneAndAmongOthers) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();

  const std::vector<torch::Tensor> all = model->synthesise(synthesis_of(batch), {});
  const std::vector<torch::Tensor> one = model->synthesise(synthesis_of(rows_of(batch, 2, 3)), {});

  ASSERT_EQ(all.size(), 3U);
  ASSERT_EQ(all[2].sizes(), one[0].sizes());
  EXPECT_LT((all[2] - one[0]).abs().max().item<double>(), 1e-4);
}

TEST(SynthesisTest, FollowsGivenDurationsAsTrainingDoes) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();
  const torch::Tensor durations = even_durations(batch);
  SynthesisOptions options;
  for (std::int64_t row = 0; row < 3; ++row) {
    options.durations.push_back(durations[row]);
  }

  const std::vector<torch::Tensor> spoken = model->synthesise(synthesis_of(batch), options);

  const torch::Tensor trained = model->denormalise(model->forward(batch, durations).postnet_mel);
  EXPECT_EQ(spoken[0].size(0), 37);
  EXPECT_LT((spoken[0] - trained[0].narrow(0, 0, 37)).abs().max().item<double>(), 1e-4);
}

TEST(SynthesisTest, IsAsMuchLongerAsAsked) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();
  // Every token lasts e^2 = 7.4 frames.
  const torch::NoGradGuard no_grad;
  for (const auto& parameter : model->named_parameters()) {
    if (parameter.key() == "duration_predictor.out.weight") {
      parameter.value().zero_();
    } else if (parameter.key() == "duration_predictor.out.bias") {
      parameter.value().fill_(2);
    }
  }

  const auto frames = [&](double scale) {
    return model->synthesise(synthesis_of(batch), {.length_scale = scale})[1].size(0);
  };

  EXPECT_EQ(frames(1), 12 * 7);
  EXPECT_EQ(frames(2), 12 * 15);
  EXPECT_EQ(frames(0.01), 12);
  EXPECT_EQ(frames(100), 12 * 75);
}

TEST(SynthesisTest, NeedsNoReference) {
  XttsModel model = make_model();
  const ModelBatch batch = make_batch();
  SynthesisInput input = synthesis_of(batch);
  input.reference = torch::Tensor();
  input.reference_lengths = torch::Tensor();

  const std::vector<torch::Tensor> spoken = model->synthesise(input, {});

  EXPECT_TRUE(torch::isfinite(spoken[0]).all().item<bool>());
}

}  // namespace
}  // namespace qanat
