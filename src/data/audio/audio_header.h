// What an audio file says about itself, read without decoding it.
//
// The length promised here is the length AudioDecoder delivers, for every format: data sets are
// planned from headers. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>

#include "base/quantity.h"
#include "base/result.h"

namespace qanat {

struct AudioHeader {
  SampleRate rate;
  int channels = 0;
  SampleCount samples;   // per channel
  std::string encoding;  // "pcm_s16", "pcm_f32", "flac", "vorbis", "mp3", ...

  bool operator==(const AudioHeader&) const = default;
};

// What speech can be. Outside of it a header is taken for damaged, before anything is allocated.
inline constexpr int kMaxChannels = 64;
inline constexpr SampleRate kMinSampleRate{1000};
inline constexpr SampleRate kMaxSampleRate{768'000};
inline constexpr std::int64_t kMaxAudioSeconds = 3600;

// How many samples remain of `samples` after resampling: to the nearest.
constexpr SampleCount resampled_length(SampleCount samples, SampleRate from, SampleRate to) {
  return SampleCount{(samples.value * to.value + from.value / 2) / from.value};
}

// Whether a header is within the limits above; the second also: whether it holds any samples.
Result<Done> check_rate_and_channels(SampleRate rate, int channels);
Result<Done> check_audio_header(const AudioHeader& header);

}  // namespace qanat
