#include "batch/batch.h"

#include <cstdint>
#include <utility>

#include "base/check.h"

namespace qanat {
namespace {

std::size_t aligned(std::size_t bytes) {
  return (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

}  // namespace

std::size_t BatchLayout::row_values() const {
  return format.kind == PayloadKind::mel_f32
             ? row_mel_values()
             : static_cast<std::size_t>(row_samples(shape.frames, format.hop));
}

std::size_t BatchLayout::row_mel_values() const {
  return static_cast<std::size_t>(shape.frames) * static_cast<std::size_t>(format.mel_bins);
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
  if (format.mel_beside_pcm) {
    layout.mel = place(rows * layout.row_mel_values() * sizeof(float));
  }
  return layout;
}

Batch::Batch(std::shared_ptr<BlockPool> pool, const BatchLayout& layout, BatchId id, int bucket)
    : pool_(std::move(pool)), layout_(layout), id_(id), bucket_(bucket) {
  QANAT_CHECK(layout.bytes <= pool_->block_bytes()) << layout.bytes;
  block_ = pool_->borrow();
}

Batch::Batch(Batch&& other) noexcept
    : pool_(std::move(other.pool_)),
      block_(std::exchange(other.block_, nullptr)),
      layout_(other.layout_),
      id_(other.id_),
      bucket_(other.bucket_),
      work_(other.work_),
      bad_rows_(other.bad_rows_),
      first_row_(other.first_row_),
      full_rows_(other.full_rows_) {}

Batch& Batch::operator=(Batch&& other) noexcept {
  if (this != &other) {
    give_back();
    pool_ = std::move(other.pool_);
    block_ = std::exchange(other.block_, nullptr);
    layout_ = other.layout_;
    id_ = other.id_;
    bucket_ = other.bucket_;
    work_ = other.work_;
    bad_rows_ = other.bad_rows_;
    first_row_ = other.first_row_;
    full_rows_ = other.full_rows_;
  }
  return *this;
}

Batch::~Batch() {
  give_back();
}

void Batch::give_back() noexcept {
  if (block_ != nullptr) {
    pool_->give_back(std::exchange(block_, nullptr));
    pool_.reset();
  }
}

template <typename T>
std::span<T> Batch::view(std::size_t offset, std::size_t count) const {
  return {reinterpret_cast<T*>(block_ + offset), count};
}

std::size_t Batch::count(PayloadKind kind) const {
  return layout_.format.kind == kind ? num_rows() * layout_.row_values() : 0;
}

std::span<float> Batch::mel() {
  if (layout_.format.mel_beside_pcm) {
    return view<float>(layout_.mel, num_rows() * layout_.row_mel_values());
  }
  return view<float>(layout_.payload, count(PayloadKind::mel_f32));
}

std::span<std::int16_t> Batch::pcm() {
  return view<std::int16_t>(layout_.payload, count(PayloadKind::pcm_s16));
}

std::span<std::int32_t> Batch::tokens() {
  return view<std::int32_t>(layout_.tokens,
                            num_rows() * static_cast<std::size_t>(layout_.shape.tokens));
}

std::span<std::int32_t> Batch::mel_lengths() {
  return view<std::int32_t>(layout_.frame_lengths, num_rows());
}

std::span<std::int32_t> Batch::sample_lengths() {
  const bool present = layout_.format.kind == PayloadKind::pcm_s16;
  return view<std::int32_t>(layout_.sample_lengths, present ? num_rows() : 0);
}

std::span<std::int32_t> Batch::token_lengths() {
  return view<std::int32_t>(layout_.token_lengths, num_rows());
}

std::span<std::int32_t> Batch::speakers() {
  return view<std::int32_t>(layout_.speakers, num_rows());
}

std::span<std::uint32_t> Batch::items() {
  return view<std::uint32_t>(layout_.items, num_rows());
}

}  // namespace qanat
