#include "transfer/host_features.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "batch/batch.h"

namespace qanat {
namespace {

constexpr BatchShape kShape{.rows = 2, .frames = 12, .tokens = 4};

Batch make_pcm_batch(const std::vector<std::int16_t>& wave) {
  const BatchLayout layout = make_layout(kShape, {.kind = PayloadKind::pcm_s16});
  Batch batch(std::make_shared<BlockPool>(layout.bytes, make_host_allocator()), layout, {}, 0);
  std::ranges::fill(batch.pcm(), std::int16_t{0});
  std::ranges::copy(wave, batch.pcm_row(1).begin());
  const auto samples = static_cast<std::int32_t>(wave.size());
  batch.sample_lengths()[0] = 256;
  batch.sample_lengths()[1] = samples;
  batch.mel_lengths()[0] = 1;
  batch.mel_lengths()[1] = samples / 256;
  std::ranges::fill(batch.tokens(), 7);
  std::ranges::fill(batch.token_lengths(), 4);
  std::ranges::fill(batch.speakers(), 3);
  std::ranges::fill(batch.items(), 9U);
  return batch;
}

std::vector<std::int16_t> make_tone(std::size_t samples) {
  std::vector<std::int16_t> wave(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    wave[i] = static_cast<std::int16_t>(9000.0 * std::sin(0.06 * static_cast<double>(i)));
  }
  return wave;
}

TEST(HostFeaturesTest, MakesWhatTheWorkersMakeAndPadsTheRest) {
  const std::vector<std::int16_t> wave = make_tone(2600);
  const Batch pcm = make_pcm_batch(wave);
  const BatchLayout layout = make_layout(kShape, {.kind = PayloadKind::mel_f32});
  std::vector<float> expected(std::size_t{10} * 80);
  MelExtractor().extract(std::span<const std::int16_t>(wave), expected);

  std::vector<std::byte> block(layout.bytes);
  HostFeatures({}).extract({.layout = pcm.layout(), .bytes = pcm.bytes()},
                           {.layout = layout, .bytes = block});

  const auto* row =
      reinterpret_cast<const float*>(block.data() + layout.payload) + layout.row_values();
  EXPECT_THAT(std::span(row, expected.size()), testing::ElementsAreArray(expected));
  EXPECT_THAT(std::span(row + expected.size(), std::size_t{2} * 80),
              testing::Each(layout.format.mel_padding));
  const auto* tokens = reinterpret_cast<const std::int32_t*>(block.data() + layout.tokens);
  EXPECT_THAT(std::span(tokens, 8), testing::Each(7));
}

}  // namespace
}  // namespace qanat
