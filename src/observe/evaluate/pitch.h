// The fundamental frequency of speech every five milliseconds, as WORLD finds it: candidates by DIO
// (Morise, Kawahara and Katayose 2009), refined by instantaneous frequency (StoneMask, Morise et
// al. 2016). Written from these descriptions; on speech it agrees with pyworld's dio() and
// stonemask() (docs/decisions/0011-evaluate-like-pymcd.md).
//
// Pure functions. Samples are finite, full scale is 1.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace qanat {

struct PitchConfig {
  double floor = 71.0;               // Hz
  double ceiling = 800.0;            // Hz
  double channels_per_octave = 2.0;  // filters of which each proposes a pitch
  double allowed_change = 0.1;       // from one frame to the next, as a share
  double frame_period = 0.005;       // seconds
};

// How many frames a clip has: one at its beginning, and one for every period it lasts.
std::size_t pitch_frames(std::size_t samples, SampleRate rate, const PitchConfig& config = {});

// Where a frame is in the clip, in seconds; rounded as WORLD rounds it, because half samples occur.
double pitch_frame_time(std::size_t frame, const PitchConfig& config = {});

// Hz in every frame, 0 where the clip is unvoiced.
std::vector<double> coarse_pitch(std::span<const double> samples,
                                 SampleRate rate,
                                 const PitchConfig& config = {});
std::vector<double> refined_pitch(std::span<const double> samples,
                                  SampleRate rate,
                                  std::span<const double> coarse,
                                  const PitchConfig& config = {});
// Both, one after the other.
std::vector<double> estimate_pitch(std::span<const double> samples,
                                   SampleRate rate,
                                   const PitchConfig& config = {});

// What one filter proposes in every frame. Used by coarse_pitch() and its tests.
struct PitchProposals {
  std::vector<double> pitch;   // Hz; 0: none
  std::vector<double> spread;  // disagreement of its four estimates, as a share; low is good
};

// One contour of those of all filters: the best in each frame, without jumps and without voiced
// stretches that are too short, then continued at both ends of each stretch as far as a filter
// proposes a pitch near it.
std::vector<double> track_pitch(std::span<const PitchProposals> filters, const PitchConfig& config);

}  // namespace qanat
