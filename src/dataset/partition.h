// Which utterances fit the limits of a run. Nothing is ever cut to fit: text and audio would no
// longer say the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "dataset/dataset_index.h"
#include "dataset/problem.h"

namespace qanat {

struct LengthLimits {
  TokenCount max_tokens{200};
  FrameCount max_frames{1024};
  SampleCount min_samples{2205};  // 0.1 s
  SampleRate rate{22050};         // of the samples; to say seconds
  std::int64_t hop = 256;         // samples per frame
};

// Mel frames of so many samples; as features/mel_config.h counts them.
FrameCount frames_of(SampleCount samples, const LengthLimits& limits);

struct DroppedItem {
  std::uint32_t item = 0;
  ProblemKind kind = ProblemKind::unreadable_audio;
  MessageArg detail;

  bool operator==(const DroppedItem&) const = default;
};

struct Partition {
  std::vector<std::uint32_t> usable;  // ascending
  std::vector<DroppedItem> dropped;   // ascending by item, each with its first reason
};

Partition partition(const DatasetIndex& index, const LengthLimits& limits);

// `3 audio_too_long, 1 unreadable_audio`; empty when nothing was dropped.
std::string summary(const Partition& partition);

}  // namespace qanat
