// Which mel spectrogram: the defaults are HiFi-GAN's for 22.05 kHz, the one definition that Qanat
// trains on. mel_presets.h has those of other trainers. Hann window, natural logarithm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace qanat {

enum class MelScale { slaney, htk };           // how Hz become mel
enum class MelNorm { slaney, none };           // bands of equal area, or of height 1
enum class MelSpectrum { magnitude, power };   // what the bands weigh
enum class MelWindow { periodic, symmetric };  // Hann over n or over n - 1 samples
enum class MelPadding { reflect, zero };       // what lies before and after a clip
enum class MelFloor { raise, add };            // log(max(x, floor)) or log(x + floor)
enum class MelFrames {
  hops,    // as many as whole hops; frame f is centred on the middle of hop f
  points,  // one more; frame f is centred on sample f * hop
};

// When the values of a spectrogram are read: soon, or after so many others that no cache still
// holds them, as those of a batch are. Those are not put there in the first place.
enum class MelUse { soon, later };

struct MelConfig {
  SampleRate sample_rate{22050};  // Hz
  int fft_size = 1024;            // samples, a power of two
  int hop = 256;                  // samples from one frame to the next
  int window = 1024;              // samples; a shorter one is centred in the transform
  int mel_bins = 80;
  float fmin = 0.0F;        // Hz, lower edge of the lowest band
  float fmax = 8000.0F;     // Hz, upper edge of the highest band
  float log_floor = 1e-5F;  // smallest band value; see `floor`

  MelScale scale = MelScale::slaney;
  MelNorm norm = MelNorm::slaney;
  MelSpectrum spectrum = MelSpectrum::magnitude;
  MelWindow window_kind = MelWindow::periodic;
  MelFrames frames = MelFrames::hops;
  MelPadding padding = MelPadding::reflect;
  MelFloor floor = MelFloor::raise;
  float magnitude_floor = 1e-9F;  // added under the root of a magnitude
  float mean = 0.0F;              // the output is (log - mean) / deviation
  float deviation = 1.0F;
  // The rate that the bands are laid out for, where that is not the rate of the samples: some
  // trainers use bands that were made for another rate.
  std::optional<SampleRate> band_rate = std::nullopt;

  bool operator==(const MelConfig&) const = default;

  // The one list of fields: `visit(name, field)` for each.
  static void visit_sizes(auto& self, auto&& visit) {
    visit("sample_rate", self.sample_rate);
    visit("fft_size", self.fft_size);
    visit("hop", self.hop);
    visit("window", self.window);
    visit("mel_bins", self.mel_bins);
    visit("fmin", self.fmin);
    visit("fmax", self.fmax);
    visit("log_floor", self.log_floor);
  }
  static void visit_kind(auto& self, auto&& visit) {
    visit("scale", self.scale);
    visit("norm", self.norm);
    visit("spectrum", self.spectrum);
    visit("window_kind", self.window_kind);
    visit("frames", self.frames);
    visit("padding", self.padding);
    visit("floor", self.floor);
    visit("magnitude_floor", self.magnitude_floor);
    visit("mean", self.mean);
    visit("deviation", self.deviation);
    visit("band_rate", self.band_rate);
  }
  static void visit_fields(auto& self, auto&& visit) {
    visit_sizes(self, visit);
    visit_kind(self, visit);
  }
};

// MelFrames::hops: floor(samples / hop), so that a clip of n samples and its spectrogram cover the
// same time. MelFrames::points: one more.
constexpr FrameCount mel_frames(SampleCount samples, const MelConfig& config) {
  const bool more = config.frames == MelFrames::points && samples.value > 0;
  return FrameCount{samples.value / config.hop + (more ? 1 : 0)};
}

// How far before sample f * hop frame f begins.
constexpr int frame_lead(const MelConfig& config) {
  return (config.fft_size - (config.frames == MelFrames::hops ? config.hop : 0)) / 2;
}

// What silence comes out as: the value behind the end of a clip.
float silent_mel(const MelConfig& config);

// The sizes of `config` (up to log_floor), with the defaults for everything else.
MelConfig sizes_of(const MelConfig& config);

// Everything that makes `config` unusable, each as `key: value; expected ...`; empty when usable.
std::vector<std::string> problems(const MelConfig& config);
// `config` itself; throws Error naming every problem.
const MelConfig& checked_mel(const MelConfig& config);
// The same for those who know the default kind only, whatever its sizes: throws for any other.
const MelConfig& checked_default_mel(const MelConfig& config);

}  // namespace qanat
