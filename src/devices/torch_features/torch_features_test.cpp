#include "torch_features/torch_features.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "batch/batch.h"
#include "device/host/host_device.h"
#include "transfer/host_features.h"

namespace qanat {
namespace {

constexpr MelConfig kMel{};

// Speech-like: tones that come and go over a little noise.
std::vector<std::int16_t> make_signal(int samples, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 60);
  std::vector<std::int16_t> wave(static_cast<std::size_t>(samples));
  for (std::size_t i = 0; i < wave.size(); ++i) {
    const auto t = static_cast<double>(i);
    const double loudness = 0.5 + 0.5 * std::sin(t * 0.0007 * (seed + 1));
    wave[i] = static_cast<std::int16_t>(
        loudness * (6000 * std::sin(t * 0.05) + 3000 * std::sin(t * 0.21)) + noise(random));
  }
  return wave;
}

// One row per length; rows have room for 40 frames.
Batch make_batch(const std::vector<int>& lengths) {
  const BatchShape shape{.rows = static_cast<int>(lengths.size()), .frames = 40, .tokens = 5};
  const BatchLayout layout = make_layout(shape, {.kind = PayloadKind::pcm_s16});
  Batch batch(std::make_shared<BlockPool>(layout.bytes, make_host_allocator()), layout, {}, 0);
  std::ranges::fill(batch.pcm(), std::int16_t{0});
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    std::ranges::copy(make_signal(lengths[row], static_cast<unsigned>(row)),
                      batch.pcm_row(static_cast<int>(row)).begin());
    batch.sample_lengths()[row] = lengths[row];
    batch.mel_lengths()[row] = lengths[row] / kMel.hop;
    batch.token_lengths()[row] = 5;
    batch.speakers()[row] = static_cast<int>(row);
    batch.items()[row] = static_cast<std::uint32_t>(100 + row);
  }
  std::ranges::fill(batch.tokens(), 3);
  return batch;
}

std::vector<std::byte> extract(DeviceFeatures& features, const Batch& pcm) {
  const BatchLayout layout = make_layout(pcm.shape(), {.kind = PayloadKind::mel_f32});
  std::vector<std::byte> block(layout.bytes);
  features.extract({.layout = pcm.layout(), .bytes = pcm.bytes()},
                   {.layout = layout, .bytes = block});
  return block;
}

struct Difference {
  double most = 0;
  double mean = 0;
};

Difference compare(const std::vector<float>& a, const std::vector<float>& b) {
  Difference difference;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    difference.most = std::max(difference.most, apart);
    difference.mean += apart / static_cast<double>(a.size());
  }
  return difference;
}

std::vector<float> payload_of(const std::vector<std::byte>& block, const BatchLayout& layout) {
  std::vector<float> values(static_cast<std::size_t>(layout.shape.rows) * layout.row_values());
  std::memcpy(values.data(), block.data() + layout.payload, values.size() * sizeof(float));
  return values;
}

class TorchFeaturesTest : public testing::TestWithParam<std::vector<int>> {};

TEST_P(TorchFeaturesTest, MakesTheMelOfTheNativeExtractor) {
  const Batch pcm = make_batch(GetParam());
  const BatchLayout layout = make_layout(pcm.shape(), {.kind = PayloadKind::mel_f32});
  HostFeatures native(kMel);
  const HostDevice cpu({});
  TorchFeatures torch(kMel, cpu);

  const std::vector<float> expected = payload_of(extract(native, pcm), layout);
  const std::vector<float> made = payload_of(extract(torch, pcm), layout);

  // Two float32 transforms of different order of summation: rounding, magnified by the logarithm
  // where a band is all but silent.
  const Difference difference = compare(expected, made);
  EXPECT_LE(difference.most, 2e-3);
  EXPECT_LE(difference.mean, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Lengths,
                         TorchFeaturesTest,
                         testing::Values(std::vector<int>{10240},
                                         std::vector<int>{10495, 7000, 5121},
                                         std::vector<int>{256},       // one frame, shorter than
                                         std::vector<int>{257, 300},  // the reach of it
                                         std::vector<int>{511, 512, 384, 1000, 1024},
                                         std::vector<int>{4096, 256, 9999, 2048, 700, 10000}));

TEST(TorchFeaturesTest, PadsAndCarriesOverToTheBit) {
  const Batch pcm = make_batch({2600, 256, 9000});
  const BatchLayout layout = make_layout(pcm.shape(), {.kind = PayloadKind::mel_f32});
  HostFeatures native(kMel);
  const HostDevice cpu({});
  TorchFeatures torch(kMel, cpu);

  const std::vector<std::byte> expected = extract(native, pcm);
  const std::vector<std::byte> made = extract(torch, pcm);

  const std::vector<float> mel = payload_of(made, layout);
  EXPECT_THAT(std::span(mel).subspan(10 * 80, 30 * 80), testing::Each(layout.format.mel_padding));
  EXPECT_TRUE(std::equal(made.begin() + static_cast<std::ptrdiff_t>(layout.tokens),
                         made.end(),
                         expected.begin() + static_cast<std::ptrdiff_t>(layout.tokens)));
}

}  // namespace
}  // namespace qanat
