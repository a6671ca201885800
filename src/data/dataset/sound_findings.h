// What the header and the samples of one clip give reason to say, and its pace among the others.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"
#include "dataset/problem.h"

namespace qanat {

struct SoundLevels {
  double clipped_share = 0;  // of the samples; at full scale
  bool silent = false;       // nothing above -60 dB
  Seconds leading_silence{0};
  Seconds trailing_silence{0};
  std::int64_t non_finite = 0;  // samples that are no numbers
};

struct SoundFacts {
  SampleRate rate;
  int channels = 1;
  std::optional<SoundLevels> levels;  // absent: only the header was read
};

// When a clip is worth a warning.
struct SoundLimits {
  SampleRate rate{22050};  // the model's
  double clipped_share = 0.001;
  Seconds silence{1.0};  // before the first or after the last sound
};

struct SoundFinding {
  ProblemKind kind;
  Message detail;

  bool operator==(const SoundFinding&) const = default;
};

std::vector<SoundFinding> sound_findings(const SoundFacts& facts, const SoundLimits& limits);

// "22050 Hz mono", "48000 Hz stereo", "44100 Hz 6 channels"
Message format_name(SampleRate rate, int channels);

// Finds utterances spoken far faster or slower than the others: mostly a text that belongs to
// another clip. Pure functions.
struct PaceOutlier {
  std::size_t item = 0;  // position in the span
  double pace = 0;       // characters per second
  double usual = 0;      // the median of the set
};

// `paces` are characters per second, all above zero. An outlier is more than 4 robust standard
// deviations (median absolute deviation of the logarithm) and at least a factor of 1.5 from the
// median. Fewer than 20 values have no outliers: nothing can be said about what is usual.
std::vector<PaceOutlier> pace_outliers(std::span<const double> paces);

// Characters per second between which all speech lies, whatever the set: a yes with long pauses is
// above the one, the fastest reader below the other. A text outside is not what was said.
inline constexpr double kSlowestPace = 1.0;
inline constexpr double kFastestPace = 40.0;

// The same of the median of a set: between these lies how fast people read aloud, with their
// pauses.
inline constexpr double kSlowestMedian = 3.0;
inline constexpr double kFastestMedian = 40.0;

// Nothing unless the median is outside, and there are enough paces for one to mean anything.
std::optional<double> impossible_median(std::span<const double> paces);

// Characters of `text` per second.
double pace_of(std::string_view text, Seconds length);

inline bool is_impossible_pace(double pace) {
  return pace < kSlowestPace || pace > kFastestPace;
}

}  // namespace qanat
