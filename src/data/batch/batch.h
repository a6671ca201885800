// A finished host batch: one block of memory and the typed views into it.
//
// Move-only lease: destroying it gives the block back to its pool. Not thread-safe, except that
// different rows may be written by different threads while the batch is being filled.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/quantity.h"
#include "base/time.h"
#include "batch/block_pool.h"
#include "batch/bucket_edges.h"

namespace qanat {

// Every part of a batch starts at a multiple of it (a cache line; enough for AVX-512 loads).
inline constexpr std::size_t kBlockAlignment = 64;

enum class PayloadKind {
  mel_f32,  // log-mel, [rows, frames, mel_bins] f32, frame-major
  pcm_s16,  // waveform, [rows, samples] s16: features are made on a device
};

struct PayloadFormat {
  PayloadKind kind = PayloadKind::mel_f32;
  int mel_bins = 80;
  int hop = 256;  // samples per frame
  // PCM only: every row has room for log-mel of its frames as well, which is not that of its
  // samples. What a vocoder reads that is trained on predicted mel.
  bool mel_beside_pcm = false;
  // What mel frames behind the end of an utterance hold: the log of the mel floor, silence. PCM is
  // padded with 0, tokens with PAD = 0.
  float mel_padding = std::log(1e-5F);

  bool operator==(const PayloadFormat&) const = default;
};

// Samples a PCM row holds for `frames` frames: an utterance of n samples has floor(n / hop)
// frames, so up to hop - 1 samples more.
constexpr int row_samples(int frames, int hop) {
  return (frames + 1) * hop;
}

// Where the parts of a batch lie inside its one block of memory.
//
// Offsets in bytes from the start of the block.
struct BatchLayout {
  BatchShape shape{};
  PayloadFormat format{};
  std::size_t payload = 0;         // f32 [rows, frames, mel_bins] or s16 [rows, samples]
  std::size_t tokens = 0;          // i32 [rows, tokens]
  std::size_t frame_lengths = 0;   // i32 [rows]
  std::size_t sample_lengths = 0;  // i32 [rows]; 0 when the payload is mel
  std::size_t token_lengths = 0;   // i32 [rows]
  std::size_t speakers = 0;        // i32 [rows]
  std::size_t items = 0;           // u32 [rows]
  std::size_t mel = 0;             // f32 [rows, frames, mel_bins]; 0 without mel beside PCM
  std::size_t bytes = 0;           // of the whole block

  std::size_t row_values() const;  // payload values of one row, padding included
  std::size_t row_bytes() const;
  std::size_t row_mel_values() const;  // of its log-mel, padding included
};

BatchLayout make_layout(const BatchShape& shape, const PayloadFormat& format);

// Which batch of a run this is.
struct BatchId {
  std::int64_t epoch = 0;
  std::int64_t index = 0;  // inside the epoch, on this rank

  bool operator==(const BatchId&) const = default;
};

class Batch {
 public:
  // Borrows a block of `pool`, which has to be at least layout.bytes large. The contents are
  // whatever the block held before.
  Batch(std::shared_ptr<BlockPool> pool, const BatchLayout& layout, BatchId id, int bucket);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch&& other) noexcept;
  ~Batch();

  BatchId id() const { return id_; }
  int bucket() const { return bucket_; }  // position of its edge: equal buckets, equal shapes
  // Time that filling it took, summed over those who filled it.
  Seconds work() const { return work_; }
  void set_work(Seconds work) { work_ = work; }
  // Rows whose planned utterance failed: they hold substitutes.
  int bad_rows() const { return bad_rows_; }
  void set_bad_rows(int rows) { bad_rows_ = rows; }
  // Where its rows begin among those that all processes have of the batch.
  int first_row() const { return first_row_; }
  // Rows of this process in a full batch of the bucket; 0: not known.
  int full_rows() const { return full_rows_; }
  void set_place(int first_row, int full_rows) {
    first_row_ = first_row;
    full_rows_ = full_rows;
  }
  const BatchShape& shape() const { return layout_.shape; }
  const BatchLayout& layout() const { return layout_; }
  int rows() const { return layout_.shape.rows; }
  int frames() const { return layout_.shape.frames; }
  int max_tokens() const { return layout_.shape.tokens; }

  // Empty when the payload is of the other kind; mel may lie beside PCM.
  std::span<float> mel();         // [rows, frames, mel_bins]
  std::span<std::int16_t> pcm();  // [rows, samples]
  std::span<const float> mel() const { return mutable_this().mel(); }
  std::span<const std::int16_t> pcm() const { return mutable_this().pcm(); }

  std::span<std::int32_t> tokens();          // [rows, tokens]
  std::span<std::int32_t> mel_lengths();     // frames of each row, [rows]
  std::span<std::int32_t> sample_lengths();  // samples of each row, [rows]; empty for mel
  std::span<std::int32_t> token_lengths();   // [rows]
  std::span<std::int32_t> speakers();        // [rows]
  std::span<std::uint32_t> items();  // positions in the data set, substitutes included, [rows]
  std::span<const std::int32_t> tokens() const { return mutable_this().tokens(); }
  std::span<const std::int32_t> mel_lengths() const { return mutable_this().mel_lengths(); }
  std::span<const std::int32_t> sample_lengths() const { return mutable_this().sample_lengths(); }
  std::span<const std::int32_t> token_lengths() const { return mutable_this().token_lengths(); }
  std::span<const std::int32_t> speakers() const { return mutable_this().speakers(); }
  std::span<const std::uint32_t> items() const { return mutable_this().items(); }

  // One row of mel(), pcm() or tokens(): [frames, mel_bins], [samples], [tokens].
  std::span<float> mel_row(int row) { return row_of(mel(), row); }
  std::span<std::int16_t> pcm_row(int row) { return row_of(pcm(), row); }
  std::span<std::int32_t> token_row(int row) { return row_of(tokens(), row); }
  std::span<const float> mel_row(int row) const { return row_of(mel(), row); }
  std::span<const std::int16_t> pcm_row(int row) const { return row_of(pcm(), row); }
  std::span<const std::int32_t> token_row(int row) const { return row_of(tokens(), row); }

  // The whole block, as it is copied to a device.
  std::span<const std::byte> bytes() const { return {block_, layout_.bytes}; }

 private:
  template <typename T>
  std::span<T> view(std::size_t offset, std::size_t count) const;
  template <typename T>
  std::span<T> row_of(std::span<T> all, int row) const {
    const std::size_t values = all.size() / num_rows();
    return all.subspan(static_cast<std::size_t>(row) * values, values);
  }
  // The views are the same either way; only what they promise differs.
  Batch& mutable_this() const { return const_cast<Batch&>(*this); }
  std::size_t num_rows() const { return static_cast<std::size_t>(layout_.shape.rows); }
  std::size_t count(PayloadKind kind) const;
  void give_back() noexcept;

  std::shared_ptr<BlockPool> pool_;  // shared with the loader and all other batches
  std::byte* block_ = nullptr;
  BatchLayout layout_;
  BatchId id_;
  int bucket_ = 0;
  Seconds work_{0};
  int bad_rows_ = 0;
  int first_row_ = 0;
  int full_rows_ = 0;
};

}  // namespace qanat
