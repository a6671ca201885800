#include "dataset/partition.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "locale/messages.h"

namespace qanat {
namespace {

double seconds_of(SampleCount samples, const LengthLimits& limits) {
  return static_cast<double>(samples.value) / static_cast<double>(limits.rate.value);
}

// "1205": compared, not read aloud, so not grouped.
template <typename Tag>
Quantity bare(Counted<Tag> count) {
  return plain(static_cast<double>(count.value), 0);
}

struct Refusal {
  ProblemKind kind;
  Message detail;
};

std::optional<Refusal> refusal(const IndexEntry& entry, const LengthLimits& limits) {
  const FrameCount frames = frames_of(entry.samples, limits);
  if (entry.tokens > limits.max_tokens) {
    return Refusal{
        ProblemKind::text_too_long,
        msg::seen_long_text{.tokens = bare(entry.tokens), .limit = bare(limits.max_tokens)}};
  }
  if (frames > limits.max_frames) {
    return Refusal{ProblemKind::audio_too_long,
                   msg::seen_long_audio{.seconds = plain(seconds_of(entry.samples, limits), 2),
                                        .frames = bare(frames),
                                        .limit = bare(limits.max_frames)}};
  }
  if (entry.samples < limits.min_samples || frames.value == 0) {
    return Refusal{
        ProblemKind::audio_too_short,
        msg::seen_short_audio{.seconds = plain(seconds_of(entry.samples, limits), 3),
                              .limit = plain(seconds_of(limits.min_samples, limits), 3)}};
  }
  if (entry.tokens.value > frames.value) {
    return Refusal{
        ProblemKind::more_tokens_than_frames,
        msg::seen_tokens_and_frames{.tokens = bare(entry.tokens), .frames = bare(frames)}};
  }
  return std::nullopt;
}

}  // namespace

FrameCount frames_of(SampleCount samples, const LengthLimits& limits) {
  return FrameCount{samples.value / limits.hop};
}

Partition partition(const DatasetIndex& index, const LengthLimits& limits) {
  Partition parts;
  auto failure = index.failures.begin();
  for (std::uint32_t i = 0; i < index.entries.size(); ++i) {
    const IndexEntry& entry = index.entries[i];
    if (!entry.usable) {
      while (failure != index.failures.end() && failure->item < i) {
        ++failure;
      }
      const bool is_known = failure != index.failures.end() && failure->item == i;
      parts.dropped.push_back(
          is_known ? DroppedItem{i, failure->kind, failure->reason}
                   : DroppedItem{i, ProblemKind::unreadable_audio, msg::number_unknown{}});
    } else if (std::optional<Refusal> refused = refusal(entry, limits)) {
      parts.dropped.push_back({i, refused->kind, std::move(refused->detail)});
    } else {
      parts.usable.push_back(i);
    }
  }
  return parts;
}

std::string summary(const Partition& partition) {
  std::array<std::int64_t, kNumProblemKinds> counts{};
  for (const DroppedItem& dropped : partition.dropped) {
    ++counts[static_cast<std::size_t>(dropped.kind)];
  }
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) {
      text += fmt::format(
          "{}{} {}", text.empty() ? "" : ", ", counts[i], to_string(static_cast<ProblemKind>(i)));
    }
  }
  return text;
}

}  // namespace qanat
