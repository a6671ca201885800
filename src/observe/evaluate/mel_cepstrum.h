// Mel cepstra of a clip, one vector every five milliseconds: what mel-cepstral distortion compares.
// The warped cepstrum of SPTK's mcep (order 13, all-pass constant 0.65, no iterations) of the
// envelope of spectral_envelope.h, with the constants of pymcd 0.2.1, so that figures can be
// compared with published ones. Immutable once made; any number of threads may use one.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace qanat {

inline constexpr std::size_t kMelCepstrumSize = 14;  // the first is the loudness of the frame

class MelCepstrum {
 public:
  explicit MelCepstrum(std::size_t num_bins);

  // [num_bins] of power to [kMelCepstrumSize].
  void of(std::span<const double> power, std::span<double> out) const;

 private:
  std::size_t num_bins_;
  std::vector<double> weights_;  // [kMelCepstrumSize, num_bins], of the log spectrum
};

}  // namespace qanat
