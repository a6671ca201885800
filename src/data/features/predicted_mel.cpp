#include "features/predicted_mel.h"

#include <algorithm>

#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"

namespace qanat {

Result<Done> PredictedMel::read(std::uint32_t item,
                                FrameCount first,
                                std::span<float> frames,
                                Scratch& scratch) const {
  const std::optional<FeatureEntry>& entry = entries_[item];
  if (!entry) {
    return to_failure(msg::mel_not_predicted{});
  }
  // Not FeatureStore::read(), whose remedy is `qanat precompute`.
  const ShardReader& reader = store_.shards()[entry->shard].reader;
  const std::size_t bins = reader.settings().mel_bins;
  scratch.mel.resize(static_cast<std::size_t>(entry->frames.value) * bins);
  scratch.tokens.resize(static_cast<std::size_t>(entry->tokens.value));
  if (const Result<Done> got =
          reader.read(entry->index, {.mel = scratch.mel, .tokens = scratch.tokens}, scratch.bytes);
      !got) {
    return to_failure(msg::mel_damaged{.file = store_.shards()[entry->shard].path.string(),
                                       .reason = got.failure().what});
  }
  const std::size_t begin =
      std::min(static_cast<std::size_t>(first.value) * bins, scratch.mel.size());
  const std::size_t count = std::min(frames.size(), scratch.mel.size() - begin);
  std::copy_n(scratch.mel.begin() + static_cast<std::ptrdiff_t>(begin), count, frames.begin());
  std::ranges::fill(frames.subspan(count), silence_);
  return Done{};
}

}  // namespace qanat
