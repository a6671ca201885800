// Which mel spectrogram: the defaults are HiFi-GAN's for 22.05 kHz, the one definition used
// everywhere. Slaney mel scale and area norm, magnitude (not power), periodic Hann window, natural
// logarithm.
#pragma once

#include <string>
#include <vector>

#include "base/quantity.h"

namespace qanat {

struct MelConfig {
  SampleRate sample_rate{22050};  // Hz
  int fft_size = 1024;            // samples, a power of two
  int hop = 256;                  // samples from one frame to the next
  int window = 1024;              // samples; a shorter one is centred in the transform
  int mel_bins = 80;
  float fmin = 0.0F;        // Hz, lower edge of the lowest band
  float fmax = 8000.0F;     // Hz, upper edge of the highest band
  float log_floor = 1e-5F;  // smallest band value; quieter ones are raised to it before the log

  bool operator==(const MelConfig&) const = default;
};

// Whole hops only: floor(samples / hop). Frame f is centred on the middle of hop f, so that a clip
// of n samples and its spectrogram cover the same time.
constexpr FrameCount mel_frames(SampleCount samples, const MelConfig& config) {
  return FrameCount{samples.value / config.hop};
}

// Everything that makes `config` unusable, each as `key: value; expected ...`; empty when usable.
std::vector<std::string> problems(const MelConfig& config);
// `config` itself; throws Error naming every problem.
const MelConfig& checked_mel(const MelConfig& config);

}  // namespace qanat
