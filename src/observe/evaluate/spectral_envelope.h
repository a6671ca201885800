// The smooth spectrum under the harmonics of a voice, frame by frame, as WORLD's CheapTrick finds
// it (Morise 2015): a window of three pitch periods, power smoothed over two thirds of the pitch,
// then liftered in the cepstrum. Written from that description.
//
// Owns its scratch: one per thread.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "evaluate/real_fft.h"

namespace qanat {

class SpectralEnvelope {
 public:
  // Has `fft_size` / 2 + 1 bins. A small transform has no room for three periods of a low voice:
  // frames below lowest_pitch() count as unvoiced.
  SpectralEnvelope(SampleRate rate, std::size_t fft_size);

  std::size_t num_bins() const { return spectrum_.size(); }
  double lowest_pitch() const;  // Hz

  // Power in every bin around `seconds`; `pitch` in Hz, 0 where unvoiced. Valid until the next
  // call.
  std::span<const double> at(std::span<const double> samples, double seconds, double pitch);

 private:
  void window_part(std::span<const double> samples, double seconds, double pitch);
  void fill_below_pitch(double pitch);
  void smooth(double width);
  void lifter(double pitch);

  double rate_;
  RealFft fft_;
  std::vector<double> waveform_;  // [fft_size]
  std::vector<double> window_;
  std::vector<std::complex<double>> spectrum_;
  std::vector<double> power_;     // [num_bins]
  std::vector<double> integral_;  // of the power, from below zero to beyond the last bin
};

}  // namespace qanat
