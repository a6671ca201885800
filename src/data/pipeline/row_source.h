// Where the rows of a batch come from: audio files, precomputed shards, memory.
//
// The loader's workers each make one RowFiller from the shared RowSource and let it write
// utterances straight into their rows of a batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "batch/batch.h"
#include "features/mel_config.h"

namespace qanat {

// Room for one utterance: its row of the batch. Of `mel` and `pcm` the one that is not the
// batch's payload is empty, unless mel lies beside PCM. A filler writes from the front; the loader
// pads what is left.
struct RowView {
  std::span<float> mel;            // [frames, mel_bins]
  std::span<std::int16_t> pcm;     // [samples]
  std::span<std::int32_t> tokens;  // [tokens]
  MelUse mel_use = MelUse::soon;
  std::int64_t epoch = 0;  // the row is filled for
};

enum class RowOrigin { audio, store, cache };

// Time spent on one row, by stage. A stage that was not needed stays 0.
struct RowTimes {
  Seconds decode{0};  // read, decode, resample, mix down
  Seconds mel{0};
  Seconds tokens{0};
  Seconds copy{0};  // out of shards or memory, and into the cache
  Seconds lock{0};  // waiting for what another filler held; part of none of the above
};

// What a filler wrote.
struct FilledRow {
  int frames = 0;   // mel frames of the utterance (also when the payload is PCM)
  int samples = 0;  // PCM only
  int tokens = 0;
  int speaker = 0;
  RowOrigin origin = RowOrigin::audio;
  RowTimes times;
};

// Used by one thread at a time; owns its scratch memory, so that steady state allocates nothing.
class RowFiller {
 public:
  virtual ~RowFiller() = default;

  // A Failure is about this utterance only, names the file and the reason, and may leave anything
  // in the row. Throws Error when the run cannot continue.
  virtual Result<FilledRow> fill(std::uint32_t item, const RowView& row) = 0;
};

// Thread-safe, immutable to its users, and outlives its fillers.
class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual std::unique_ptr<RowFiller> make_filler() const = 0;
  // The file (or whatever names the item best) for messages.
  virtual std::string describe(std::uint32_t item) const = 0;
  // The rows that will be asked for next, about in this order, behind those named before. For
  // sources that are far from what they read.
  virtual void expect(std::span<const std::uint32_t> /*items*/) {}
};

// Which worker filled which row of which batch, and when: what a trace of the loader is made of.
struct RowSpan {
  int worker = 0;
  BatchId batch;
  int row = 0;
  std::uint32_t item = 0;
  std::string utterance{};  // its id, where items have names
  Clock::time_point begin;
  Clock::time_point end;
};

// Called by the worker after each row; must not block.
using RowFn = std::function<void(RowSpan)>;

}  // namespace qanat
