// Pitch and mains hum of a clip, from the clip at about 4 kHz: cheap, and enough to tell one voice
// from the others of a set. Evaluation has a pitch tracker that is worth its time. Pure.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace qanat {

struct LowFrequencies {
  std::optional<double> pitch{};   // Hz, the median of the voiced frames
  std::optional<double> hum_hz{};  // 50 or 60; where either stands out
  double hum_db = 0;               // above its surroundings
};

// `scratch` holds the clip at the low rate afterwards.
LowFrequencies measure_low_frequencies(std::span<const float> samples,
                                       SampleRate rate,
                                       std::vector<float>& scratch);

}  // namespace qanat
