#include "transfer/host_features.h"

#include <algorithm>
#include <cstring>

namespace qanat {
namespace {

template <typename T>
std::span<const T> values(const ConstBlockView& block, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<const T*>(block.bytes.data() + offset), count};
}

template <typename T>
std::span<T> values(const BlockView& block, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<T*>(block.bytes.data() + offset), count};
}

std::size_t num_rows(const BatchLayout& layout) {
  return static_cast<std::size_t>(layout.shape.rows);
}

}  // namespace

void carry_over(const ConstBlockView& pcm, const BlockView& mel) {
  const BatchLayout& from = pcm.layout;
  const BatchLayout& to = mel.layout;
  const std::size_t rows = num_rows(from);
  const auto copy = [&](std::size_t source, std::size_t target, std::size_t count) {
    std::ranges::copy(values<std::int32_t>(pcm, source, count),
                      values<std::int32_t>(mel, target, count).begin());
  };
  copy(from.tokens, to.tokens, rows * static_cast<std::size_t>(from.shape.tokens));
  copy(from.frame_lengths, to.frame_lengths, rows);
  copy(from.token_lengths, to.token_lengths, rows);
  copy(from.speakers, to.speakers, rows);
  copy(from.items, to.items, rows);
}

void HostFeatures::extract(const ConstBlockView& pcm, const BlockView& mel) {
  carry_over(pcm, mel);
  const std::size_t rows = num_rows(pcm.layout);
  const auto samples =
      values<std::int16_t>(pcm, pcm.layout.payload, rows * pcm.layout.row_values());
  const auto sample_lengths = values<std::int32_t>(pcm, pcm.layout.sample_lengths, rows);
  const auto frame_lengths = values<std::int32_t>(pcm, pcm.layout.frame_lengths, rows);
  const auto bins = static_cast<std::size_t>(mel.layout.format.mel_bins);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto waveform = samples.subspan(row * pcm.layout.row_values(),
                                          static_cast<std::size_t>(sample_lengths[row]));
    const std::span<float> out = values<float>(
        mel, mel.layout.payload + row * mel.layout.row_bytes(), mel.layout.row_values());
    const std::size_t used = static_cast<std::size_t>(frame_lengths[row]) * bins;
    extractor_.extract(waveform, out.first(used));
    std::ranges::fill(out.subspan(used), mel.layout.format.mel_padding);
  }
}

}  // namespace qanat
