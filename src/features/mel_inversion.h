// From mel bands back to the magnitudes of a spectrum that has them.
//
// 80 bands do not say what 513 bins were: of all spectra without negative magnitudes the smooth one
// is sharpened until its bands are right (Richardson-Lucy), relative errors counting alike in loud
// and quiet bands. Immutable; any number of threads may use one.
#pragma once

#include <span>
#include <vector>

#include "features/mel_config.h"
#include "features/mel_filterbank.h"

namespace qanat {

class MelInversion {
 public:
  explicit MelInversion(const MelConfig& config, int iterations = 30);

  int num_bins() const { return num_bins_; }

  // [mel_bins] of natural logs to [num_bins] magnitudes; bins outside the bands are 0. What is no
  // number counts as silence.
  void magnitudes(std::span<const float> log_mel, std::span<float> out) const;

 private:
  void sum_bands(std::span<const float> bins, std::span<float> bands) const;
  void spread(std::span<const float> bands, std::span<float> bins) const;

  MelFilterbank bank_;
  int mel_bins_;
  int num_bins_;
  int iterations_;
  float log_floor_;
  std::vector<float> band_area_;   // sum of the weights of a band
  std::vector<float> bin_weight_;  // sum of the weights of a bin
};

}  // namespace qanat
