// Which clips of a set are worth hearing first: those at its ends, where what is wrong shows, and
// some of its middle. Pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace qanat {

// Why a clip is worth hearing. Fast and slow is by characters of text in a second.
enum class ClipKind { typical, shortest, longest, fastest, slowest };
inline constexpr std::size_t kNumClipKinds = 5;

constexpr std::string_view to_string(ClipKind kind) {
  switch (kind) {
    case ClipKind::typical:
      return "typical";
    case ClipKind::shortest:
      return "shortest";
    case ClipKind::longest:
      return "longest";
    case ClipKind::fastest:
      return "fastest";
    case ClipKind::slowest:
      return "slowest";
  }
  return "";
}

struct ClipFacts {
  Seconds length{0};
  double pace = 0;  // characters per second
};

struct ChosenClip {
  ClipKind kind = ClipKind::typical;
  std::size_t clip = 0;  // of those handed in

  bool operator==(const ChosenClip&) const = default;
};

// By kind, at most `most` of each, the extreme one first; of equals the earlier. A typical one is
// near the median length.
std::vector<ChosenClip> choose_clips(std::span<const ClipFacts> clips, std::size_t most);

}  // namespace qanat
