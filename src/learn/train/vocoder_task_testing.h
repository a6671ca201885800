// Batches for a vocoder that need no data set.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "pipeline/segment_row_source.h"
#include "transfer/device_batch.h"

namespace qanat {

// Segments of hums, a different one in every row.
class HumBatch {
 public:
  static constexpr int kFrames = 16 + 2 * kSegmentContext;

  explicit HumBatch(int rows, const PayloadFormat& format = {.kind = PayloadKind::pcm_s16})
      : layout_(make_layout({.rows = rows, .frames = kFrames, .tokens = 1}, format)),
        block_(layout_.bytes) {
    auto* sample = reinterpret_cast<std::int16_t*>(block_.data() + layout_.payload);
    for (int row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < layout_.row_values(); ++i) {
        const float angle = static_cast<float>(i) * (0.05F + 0.02F * static_cast<float>(row));
        *sample++ = static_cast<std::int16_t>(8000.0F * std::sin(angle));
      }
    }
    batch_ = {.id = {},
              .layout = layout_,
              .bytes = block_,
              .mel_lengths = std::vector<std::int32_t>(static_cast<std::size_t>(rows), kFrames),
              .token_lengths = std::vector<std::int32_t>(static_cast<std::size_t>(rows), 1),
              .items = std::vector<std::uint32_t>(static_cast<std::size_t>(rows), 0),
              .speakers = std::vector<std::int32_t>(static_cast<std::size_t>(rows), 0),
              .slot = nullptr,
              .way = nullptr};
  }

  const DeviceBatch& get() const { return batch_; }
  // What lies beside the samples: [rows, frames, mel_bins].
  torch::Tensor mel() {
    return torch::from_blob(block_.data() + layout_.mel, {layout_.shape.rows, kFrames, 80});
  }

 private:
  BatchLayout layout_;
  std::vector<std::byte> block_;
  DeviceBatch batch_;
};

}  // namespace qanat
