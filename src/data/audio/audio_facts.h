// What the samples of a file are like: level, clipping, silence. For checking data sets.
#pragma once

#include <cstdint>
#include <filesystem>

#include "audio/audio_file.h"
#include "audio/audio_header.h"
#include "base/result.h"
#include "base/time.h"

namespace qanat {

struct AudioFacts {
  AudioHeader header;
  float peak = 0;               // largest finite magnitude of any channel; full scale is 1
  double clipped_fraction = 0;  // share of samples at or above full scale
  bool silent = false;          // no 10 ms of the mix are louder than kSilenceLevel
  Seconds leading_silence{0};   // of the mix; the whole length if silent
  Seconds trailing_silence{0};
  std::int64_t non_finite = 0;  // samples that are NaN or infinite

  bool operator==(const AudioFacts&) const = default;
};

// RMS of 10 ms below which they count as silence: -60 dB of full scale.
inline constexpr double kSilenceLevel = 0.001;

// Reads the whole file at its own rate. What AudioDecoder refuses is a Failure here, too, except
// for samples that are not finite: those are counted.
Result<AudioFacts> inspect_audio(const std::filesystem::path& path);
// The same of a clip that is open; failures do not name it.
Result<AudioFacts> inspect_audio(const AudioFile& file);

}  // namespace qanat
