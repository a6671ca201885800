// A voice that tests and oracles make alike: a glide of 30 partials under one moving formant
// between two stretches of faint noise.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace qanat {

struct TestVoice {
  double seconds = 1.4;
  double stretch = 1.0;
  double pitch = 1.0;      // times a glide around 180 Hz
  double formant = 700.0;  // Hz
};

inline std::vector<float> make_test_voice(const TestVoice& voice) {
  constexpr double kRate = 22050;
  std::vector<float> wave(static_cast<std::size_t>(voice.seconds * kRate));
  std::uint32_t noise = 1;
  double phase = 0;
  for (std::size_t i = 0; i < wave.size(); ++i) {
    const double t = static_cast<double>(i) / kRate / voice.stretch;
    phase += 2 * std::numbers::pi * voice.pitch * (180 + 40 * std::sin(5 * t)) / kRate;
    double sum = 0;
    for (int k = 1; k <= 30; ++k) {
      const double away = (k * 180 - voice.formant - 500 * std::sin(9 * t)) / 600;
      sum += (0.02 + std::exp(-away * away)) / k * std::sin(k * phase);
    }
    noise = noise * 1664525U + 1013904223U;
    const double faint = 0.002 * (static_cast<double>(noise) / 0x1p32 - 0.5);
    wave[i] = static_cast<float>((t > 0.2 && t < 1.2 ? 0.2 * sum : 0.0) + faint);
  }
  return wave;
}

// What pymcd 0.2.1 and pyworld 0.3.5 were asked about.
inline std::vector<float> first_test_voice() {
  return make_test_voice({});
}
inline std::vector<float> second_test_voice() {
  return make_test_voice({.seconds = 1.54, .stretch = 1.1, .pitch = 1.06, .formant = 900});
}

}  // namespace qanat
