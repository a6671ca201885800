// From a log-mel spectrogram to a waveform, without a neural vocoder: Griffin-Lim with momentum
// (Perraudin, Balazs and Søndergaard 2013). Intelligible, a little metallic; for hearing what a
// model has learned.
//
// One per thread: it owns its scratch memory. The same input gives the same samples on every call.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "features/fft_plan.h"
#include "features/kernels.h"
#include "features/mel_config.h"
#include "features/mel_filterbank.h"
#include "features/simd_buffer.h"

namespace qanat {

// From mel bands back to the magnitudes of a spectrum that has them.
//
// 80 bands do not say what 513 bins were: of all spectra without negative magnitudes the smooth one
// is sharpened until its bands are right (Richardson-Lucy), relative errors counting alike in loud
// and quiet bands. Immutable; any number of threads may use one.
class MelInversion {
 public:
  explicit MelInversion(const MelConfig& config, int iterations = 30);

  int num_bins() const { return num_bins_; }

  // [mel_bins] of natural logs to [num_bins] magnitudes; bins outside the bands are 0. What is no
  // number counts as silence.
  void magnitudes(std::span<const float> log_mel, std::span<float> out) const;
  // The same from magnitudes that somebody has predicted, instead of smooth ones: [num_bins], made
  // to have these bands. Those outside the bands stay.
  void fit(std::span<const float> log_mel, std::span<float> magnitudes) const;

 private:
  std::vector<float> bands_of(std::span<const float> log_mel) const;
  void sharpen(std::span<const float> wanted, std::span<float> bins) const;
  void sum_bands(std::span<const float> bins, std::span<float> bands) const;
  void spread(std::span<const float> bands, std::span<float> bins) const;

  MelFilterbank bank_;
  int num_bins_;
  int iterations_;
  float log_floor_;
  std::vector<float> band_area_;   // sum of the weights of a band
  std::vector<float> bin_weight_;  // sum of the weights of a bin
};

struct GriffinLimConfig {
  int iterations = 32;
  float momentum = 0.99F;  // 0: the classical algorithm, slower to converge
  // How far below its magnitude a bin, in shares of it, is no longer filled up to all of it. The
  // phase of such a bin is little more than rounding, which the next iteration begins with. What
  // has its magnitude keeps it.
  float doubt = 0.0F;
};

// For magnitudes that a network has predicted, which no signal may have: without doubt, 32
// iterations made 0.01 of a difference of 0.000002 in the samples they began with.
inline constexpr float kDoubtOfPredictions = 0.3F;

class GriffinLim {
 public:
  // With the fastest kernels of this machine. Throws Error when `mel` has problems() or is
  // of another kind than the default.
  explicit GriffinLim(const MelConfig& mel = {}, const GriffinLimConfig& config = {});
  GriffinLim(const MelConfig& mel,
             const GriffinLimConfig& config,
             const GriffinLimKernels& kernels);
  GriffinLim(const GriffinLim&) = delete;
  GriffinLim& operator=(const GriffinLim&) = delete;
  ~GriffinLim() = default;

  // [frames, mel_bins] of natural logs, row by row, to frames * hop samples; full scale is 1, loud
  // spectrograms may exceed it. Ready to be written with write_wav().
  std::vector<float> synthesise(std::span<const float> log_mel);

  // What somebody else has predicted for a spectrogram: [frames, fft_size / 2 + 1] magnitudes, row
  // by row, and frames * hop samples.
  struct Prediction {
    std::span<const float> magnitudes;
    std::span<const float> samples;
  };
  // The same search for these magnitudes, made to have the bands of `log_mel`, beginning with the
  // phases of these samples instead of random ones.
  std::vector<float> refine(std::span<const float> log_mel, const Prediction& prediction);

 private:
  void set_frames(std::size_t frames);
  void set_magnitudes(std::size_t frame, std::span<const float> bins);
  void prepare(std::span<const float> log_mel);
  std::vector<float> search();
  void iterate(std::size_t groups);
  GriffinLimProgram program() const;

  MelConfig mel_;
  GriffinLimConfig config_;
  GriffinLimKernels kernels_;
  FftPlan plan_;
  MelInversion inversion_;
  std::vector<BinPlace> places_;  // by place, so that memory is walked in order
  std::vector<int> bins_;         // the bin at each of them
  std::vector<float> window_;
  std::vector<float> synthesis_;
  SimdBuffer work_;
  // These belong to one call.
  std::size_t frames_ = 0;
  SimdBuffer magnitudes_;      // [groups, bins, lanes]
  SimdBuffer previous_;        // [groups, fft_size + 1, lanes]
  std::vector<float> signal_;  // from half a window before the first sample on
  std::vector<float> sum_;
  std::vector<float> gain_;    // makes up for the overlapping windows
  std::vector<float> unused_;  // where lanes without a frame read and write
};

}  // namespace qanat
