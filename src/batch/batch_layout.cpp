#include "batch/batch_layout.h"

#include <cstdint>

namespace qanat {
namespace {

std::size_t aligned(std::size_t bytes) {
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

}  // namespace

std::size_t BatchLayout::row_values() const {
  const int values = format.kind == PayloadKind::mel_f32 ? shape.frames * format.mel_bins
                                                         : row_samples(shape.frames, format.hop);
  return static_cast<std::size_t>(values);
}

std::size_t BatchLayout::row_bytes() const {
  return row_values() *
         (format.kind == PayloadKind::mel_f32 ? sizeof(float) : sizeof(std::int16_t));
}

BatchLayout make_layout(const BatchShape& shape, const PayloadFormat& format) {
  BatchLayout layout{.shape = shape, .format = format};
  const auto rows = static_cast<std::size_t>(shape.rows);
  const auto place = [&layout](std::size_t bytes) {
    const std::size_t offset = layout.bytes;
    layout.bytes += aligned(bytes);
    return offset;
  };
  layout.payload = place(rows * layout.row_bytes());
  layout.tokens = place(rows * static_cast<std::size_t>(shape.tokens) * sizeof(std::int32_t));
  layout.frame_lengths = place(rows * sizeof(std::int32_t));
  layout.token_lengths = place(rows * sizeof(std::int32_t));
  layout.speakers = place(rows * sizeof(std::int32_t));
  layout.items = place(rows * sizeof(std::uint32_t));
  if (format.kind == PayloadKind::pcm_s16) {
    layout.sample_lengths = place(rows * sizeof(std::int32_t));
  }
  return layout;
}

}  // namespace qanat
