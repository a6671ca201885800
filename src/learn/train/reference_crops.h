// Which recording each row of a batch is shown as the voice to imitate, and which rows are trained
// without one, or without the name of their speaker.
//
// Rows of a batch are paired: 0 and 1, 2 and 3, and so on. A row is shown the utterance of its
// partner where that is another one of its speaker; plans see to it (batch_plan.h). Otherwise it is
// shown a part of its own, and is not trained on that part. Depends on the seed, the epoch and the
// pair; not on how the batch is split into microbatches, nor on how many processes share it, as
// long as no pair is divided between them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace qanat {

struct ReferenceOptions {
  int min_frames = 129;         // 1.5 s
  int max_frames = 517;         // 6 s
  double drop_reference = 0.2;  // share of rows without a reference
  double drop_speaker = 0.5;    // share of rows without their entry of the speaker table
};

struct ReferenceCrop {
  int row = 0;     // of the batch: whose utterance is shown
  int first = 0;   // frame of that utterance
  int frames = 0;  // 0: nothing is shown
  bool show_speaker = true;

  bool operator==(const ReferenceCrop&) const = default;
};

// What a process has of a batch: one entry for each row.
struct BatchRows {
  std::span<const std::uint32_t> items;
  std::span<const std::int32_t> speakers;
  std::span<const std::int32_t> frames;
  int first = 0;  // where they begin among the rows of all processes
};

// Thread-safe.
class ReferenceCrops {
 public:
  explicit ReferenceCrops(std::uint64_t seed, const ReferenceOptions& options = {})
      : seed_(seed), options_(options) {}

  // One per row.
  std::vector<ReferenceCrop> crops(std::int64_t epoch, const BatchRows& rows) const;

 private:
  ReferenceCrop crop(std::int64_t epoch, const BatchRows& rows, std::size_t row) const;

  std::uint64_t seed_;
  ReferenceOptions options_;
};

// As much of an utterance as may be shown to its own row: the other half is trained on.
int most_of_own(int frames, const ReferenceOptions& options = {});
// The longest reference of a batch whose rows have room for `frames`.
int longest_reference(int frames, const ReferenceOptions& options = {});

}  // namespace qanat
