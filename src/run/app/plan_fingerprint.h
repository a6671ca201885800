// Hashes that say whether a position in one plan is a position in another: equal hashes, equal
// batches. Kept in checkpoints and in the state of loaders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataset/training_sets.h"
#include "features/mel_config.h"
#include "pipeline/loader.h"
#include "pipeline/segment_row_source.h"

namespace qanat {

// Covers the batches that all processes share: how many share them does not matter. Two processes
// with batches of 8 and one with batches of 16 have the same plan.
std::uint64_t plan_fingerprint(const UtteranceSet& set,
                               const MelConfig& mel,
                               const LoaderOptions& options,
                               const std::optional<SegmentOptions>& segment = std::nullopt,
                               std::span<const double> weights = {});

// Covers the utterances in the first `batches`, whatever batches they are in.
std::uint64_t validation_fingerprint(const UtteranceSet& set,
                                     const MelConfig& mel,
                                     const LoaderOptions& options,
                                     std::int64_t batches);

// Covers the first `count` utterances.
std::uint64_t clips_fingerprint(const UtteranceSet& set, const MelConfig& mel, std::size_t count);

}  // namespace qanat
