#include "speech/hifigan.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/files.h"
#include "speech/speech_testing.h"
#include "speech/vocode_chunks.h"

namespace qanat {
namespace {

using testing::HasSubstr;

// The formulas of tests/oracles/hifigan.py.
torch::Tensor formula(const std::string& name, const std::vector<std::int64_t>& shape) {
  const double phase = std::accumulate(name.begin(), name.end(), 0, [](int sum, char c) {
    return sum + static_cast<unsigned char>(c);
  });
  torch::Tensor values = torch::empty(shape);
  const double fan_in = static_cast<double>(values.numel() / shape[0]);
  const bool is_length = name.ends_with("weight_g");
  const double scale = name.ends_with("weight_v") ? 1 / std::sqrt(fan_in) : 0.1;
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    values.data_ptr<float>()[i] = static_cast<float>(
        (is_length ? 1.0 : 0.0) + scale * std::sin(0.37 * static_cast<double>(i) + phase));
  }
  return values;
}

std::vector<float> formula_mel(std::size_t frames) {
  std::vector<float> mel(frames * 80);
  for (std::size_t i = 0; i < mel.size(); ++i) {
    mel[i] = static_cast<float>(-5 + 3 * std::sin(0.9 * static_cast<double>(i)));
  }
  return mel;
}

void put_formula(TensorMap& weights,
                 const std::string& name,
                 std::vector<std::int64_t> shape,
                 int out) {
  weights[name + ".weight_v"] = formula(name + ".weight_v", shape);
  weights[name + ".weight_g"] = formula(name + ".weight_g", {shape[0], 1, 1});
  weights[name + ".bias"] = formula(name + ".bias", {out});
}

HifiGanShape small_v1() {
  HifiGanShape shape;
  shape.channels = 16;
  return shape;
}
HifiGanShape small_v3() {
  return {.block = HifiGanShape::Block::one_convolution,
          .channels = 8,
          .rates = {8, 8, 4},
          .kernels = {16, 16, 8},
          .block_kernels = {3, 5, 7},
          .block_dilations = {{1, 2}, {2, 6}, {3, 12}},
          .mel = {}};
}

TensorMap formula_weights(const HifiGanShape& shape) {
  TensorMap weights;
  std::int64_t width = shape.channels;
  put_formula(weights, "conv_pre", {width, 80, 7}, static_cast<int>(width));
  for (std::size_t i = 0; i < shape.rates.size(); ++i) {
    width /= 2;
    const int out = static_cast<int>(width);
    put_formula(weights, fmt::format("ups.{}", i), {2 * width, width, shape.kernels[i]}, out);
    for (std::size_t j = 0; j < shape.block_kernels.size(); ++j) {
      const bool is_deep = shape.block == HifiGanShape::Block::two_convolutions;
      const std::string block = fmt::format("resblocks.{}", i * shape.block_kernels.size() + j);
      for (std::size_t k = 0; k < shape.block_dilations[j].size(); ++k) {
        const std::vector<std::int64_t> size = {width, width, shape.block_kernels[j]};
        put_formula(
            weights, fmt::format("{}.{}.{}", block, is_deep ? "convs1" : "convs", k), size, out);
        if (is_deep) {
          put_formula(weights, fmt::format("{}.convs2.{}", block, k), size, out);
        }
      }
    }
  }
  put_formula(weights, "conv_post", {1, width, 7}, 1);
  return weights;
}

// Every 120th sample from the 100th on, as PyTorch makes them.
struct OracleCase {
  const char* name;
  HifiGanShape shape;
  std::vector<float> samples;
};
class HifiGanOracleTest : public testing::TestWithParam<OracleCase> {};

TEST_P(HifiGanOracleTest, MakesTheSamplesOfPyTorch) {
  HifiGan vocoder(GetParam().shape, formula_weights(GetParam().shape));

  const std::vector<float> samples = vocoder.synthesise(formula_mel(6));

  ASSERT_EQ(samples.size(), 6U * 256U);
  for (std::size_t i = 0; i < GetParam().samples.size(); ++i) {
    EXPECT_NEAR(samples[100 + 120 * i], GetParam().samples[i], 1e-5) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions,
                         HifiGanOracleTest,
                         testing::Values(OracleCase{"v1",
                                                    small_v1(),
                                                    {0.24494718F,
                                                     0.23803394F,
                                                     0.23749521F,
                                                     0.23797899F,
                                                     0.23922348F,
                                                     0.23796511F,
                                                     0.23800866F,
                                                     0.23894350F,
                                                     0.23870346F,
                                                     0.23815060F,
                                                     0.23856537F,
                                                     0.23855485F}},
                                         OracleCase{"v3",
                                                    small_v3(),
                                                    {0.02568963F,
                                                     0.02830411F,
                                                     0.02728963F,
                                                     0.02629727F,
                                                     0.02647775F,
                                                     0.02822409F,
                                                     0.02740354F,
                                                     0.02473257F,
                                                     0.02717534F,
                                                     0.02824816F,
                                                     0.02747499F,
                                                     0.02580960F}}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(HifiGanTest, ChunksAreTheWholeWhereverTheyAreCut) {
  for (const HifiGanShape& shape : {small_v1(), small_v3()}) {
    HifiGan vocoder(shape, formula_weights(shape));
    const std::vector<float> mel = formula_mel(97);
    const std::vector<float> whole = vocoder.synthesise(mel);
    for (const int frames : {1, 7, 40, 200}) {
      std::vector<float> chunks;
      vocode_chunks(vocoder, mel, frames, [&](std::span<const float> more) {
        chunks.insert(chunks.end(), more.begin(), more.end());
      });
      ASSERT_EQ(chunks.size(), whole.size());
      for (std::size_t i = 0; i < whole.size(); ++i) {
        ASSERT_NEAR(chunks[i], whole[i], 1e-4) << frames << " frames, sample " << i;
      }
    }
  }
}

// The 15 frames of V1 are 0.17 s.
TEST(HifiGanTest, TheContextIsAFewFrames) {
  EXPECT_EQ(HifiGan(small_v1(), formula_weights(small_v1())).context(), 15);
  EXPECT_EQ(HifiGan(small_v3(), formula_weights(small_v3())).context(), 12);
}

TEST(HifiGanTest, WeightsMayBePlainOrPrefixedOrOfTheNewerWeightNorm) {
  const TensorMap normed = formula_weights(small_v3());
  TensorMap plain;
  TensorMap newer;
  for (const auto& [name, tensor] : normed) {
    const std::string stem = name.substr(0, name.rfind('.'));
    if (name.ends_with("weight_v")) {
      const torch::Tensor length = tensor.flatten(1).norm(2, 1).view({-1, 1, 1});
      plain["generator." + stem + ".weight"] = tensor * normed.at(stem + ".weight_g") / length;
      newer[stem + ".parametrizations.weight.original1"] = tensor;
    } else if (name.ends_with("weight_g")) {
      newer[stem + ".parametrizations.weight.original0"] = tensor;
    } else {
      plain["generator." + name] = tensor;
      newer[name] = tensor;
    }
  }
  plain["mpd.discriminator"] = torch::ones({1});
  const std::vector<float> expected = HifiGan(small_v3(), normed).synthesise(formula_mel(3));

  for (const TensorMap& weights : {plain, newer}) {
    const std::vector<float> samples = HifiGan(small_v3(), weights).synthesise(formula_mel(3));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR(samples[i], expected[i], 1e-6);
    }
  }
}

TEST(HifiGanTest, NamesTheWeightThatDoesNotFit) {
  TensorMap weights = formula_weights(small_v3());
  const auto with = [&](const auto& change) {
    TensorMap changed = weights;
    change(changed);
    return error_of([&] { HifiGan(small_v3(), changed); });
  };

  EXPECT_THAT(with([](TensorMap& map) { map.erase("ups.1.bias"); }), HasSubstr("ups.1.bias"));
  EXPECT_THAT(with([](TensorMap& map) { map["ups.0.bias"] = torch::ones({3}); }),
              HasSubstr("ups.0.bias: shape [3]; expected [4]"));
  EXPECT_THAT(with([](TensorMap& map) { map["ups.9.bias"] = torch::ones({3}); }),
              HasSubstr("ups.9.bias"));
}

nlohmann::json v1_config() {
  return {{"resblock", "1"},
          {"upsample_rates", {8, 8, 2, 2}},
          {"upsample_kernel_sizes", {16, 16, 4, 4}},
          {"upsample_initial_channel", 512},
          {"resblock_kernel_sizes", {3, 7, 11}},
          {"resblock_dilation_sizes", {{1, 3, 5}, {1, 3, 5}, {1, 3, 5}}},
          {"num_mels", 80},
          {"n_fft", 1024},
          {"hop_size", 256},
          {"win_size", 1024},
          {"sampling_rate", 22050},
          {"fmin", 0},
          {"fmax", 8000}};
}

struct WrongValue {
  const char* name;
  float value;
};
class HifiGanValueTest : public testing::TestWithParam<WrongValue> {};

TEST_P(HifiGanValueTest, IsRefusedWhereverItStands) {
  for (const auto& [name, tensor] : formula_weights(small_v3())) {
    TensorMap weights = formula_weights(small_v3());
    weights[name].view(-1)[tensor.numel() / 2] = GetParam().value;

    EXPECT_THAT([&] { HifiGan(small_v3(), weights); },
                testing::ThrowsMessage<Error>(HasSubstr(name.substr(0, name.rfind('.')))))
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Values,
                         HifiGanValueTest,
                         testing::Values(WrongValue{"nan", std::nanf("")},
                                         WrongValue{"infinity", HUGE_VALF},
                                         WrongValue{"minus_infinity", -HUGE_VALF},
                                         WrongValue{"huge", 1e38F}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(HifiGanTest, AWeightNormOfZeroIsRefused) {
  TensorMap weights = formula_weights(small_v3());
  weights["ups.1.weight_v"].zero_();

  EXPECT_THAT([&] { HifiGan(small_v3(), weights); },
              testing::ThrowsMessage<Error>(HasSubstr("ups.1.weight")));
}

TEST(HifiGanShapeTest, ReadsTheConfigurationOfV1) {
  EXPECT_EQ(to_hifigan_shape(v1_config()).value(), HifiGanShape{});
}

TEST(HifiGanShapeTest, NamesWhatIsWrong) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    nlohmann::json config = v1_config();
    config[key] = value;
    const Result<HifiGanShape> shape = to_hifigan_shape(config);
    return shape ? std::string() : shape.failure().what;
  };

  EXPECT_THAT(with("upsample_rates", {8, -8}), HasSubstr("upsample_rates"));
  EXPECT_THAT(with("upsample_rates", {8, 8, 4}), HasSubstr("contradict"));
  EXPECT_THAT(with("hop_size", 300), HasSubstr("hop_size"));
  EXPECT_THAT(with("resblock", 3), HasSubstr("resblock"));
  EXPECT_THAT(with("resblock_dilation_sizes", {{1, 3}, {"x"}}),
              HasSubstr("resblock_dilation_sizes"));
  EXPECT_FALSE(to_hifigan_shape(nlohmann::json()));
}

TEST(HifiGanShapeTest, AProductOfRatesBeyondAllNumbersIsRefused) {
  nlohmann::json config = v1_config();
  config["upsample_rates"] = std::vector<int>(64, 1024);  // 2 to the power of 640
  config["upsample_kernel_sizes"] = std::vector<int>(64, 1024);

  const Result<HifiGanShape> shape = to_hifigan_shape(config);

  ASSERT_FALSE(shape);
  EXPECT_THAT(shape.failure().what, HasSubstr("upsample_rates"));
}

// Generators of full size with random weights: tests/oracles/hifigan.py DIR.
TEST(HifiGanFullSizeTest, MakesTheSamplesOfPyTorch) {
  const char* const root = std::getenv("QANAT_HIFIGAN_ORACLE");
  if (root == nullptr) {
    GTEST_SKIP() << "set QANAT_HIFIGAN_ORACLE to what tests/oracles/hifigan.py has written";
  }
  for (const char* const name : {"v1", "v3"}) {
    const std::filesystem::path folder = std::filesystem::path(root) / name;
    const MappedFile file = MappedFile::open(folder / "oracle.safetensors").value();
    const TensorMap oracle = parse_safetensors(file.bytes()).value();
    const torch::Tensor mel = oracle.at("mel").contiguous();
    const torch::Tensor audio = oracle.at("audio").contiguous();

    const std::vector<float> samples = open_hifigan(folder)->synthesise(
        {mel.data_ptr<float>(), static_cast<std::size_t>(mel.numel())});

    ASSERT_EQ(static_cast<std::int64_t>(samples.size()), audio.numel());
    float largest = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      largest = std::max(largest, std::abs(samples[i] - audio.data_ptr<float>()[i]));
    }
    EXPECT_LT(largest, 1e-5) << name;
    RecordProperty(name, fmt::format("{}", largest));
    fmt::print("{}: largest difference {}\n", name, largest);
  }
}

}  // namespace
}  // namespace qanat
