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
#include "features/griffin_lim_kernels.h"
#include "features/mel_config.h"
#include "features/mel_inversion.h"
#include "features/simd_buffer.h"

namespace qanat {

struct GriffinLimConfig {
  int iterations = 32;
  float momentum = 0.99F;  // 0: the classical algorithm, slower to converge
};

class GriffinLim {
 public:
  // With the fastest kernels of this machine. Throws Error when `mel` has problems().
  explicit GriffinLim(const MelConfig& mel = {}, const GriffinLimConfig& config = {});
  GriffinLim(const MelConfig& mel,
             const GriffinLimConfig& config,
             const GriffinLimKernels& kernels);
  GriffinLim(const GriffinLim&) = delete;
  GriffinLim& operator=(const GriffinLim&) = delete;

  // [frames, mel_bins] of natural logs, row by row, to frames * hop samples; full scale is 1, loud
  // spectrograms may exceed it. Ready to be written with write_wav().
  std::vector<float> synthesise(std::span<const float> log_mel);

 private:
  void prepare(std::span<const float> log_mel);
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
  // Of one call.
  std::size_t frames_ = 0;
  SimdBuffer magnitudes_;      // [groups, bins, lanes]
  SimdBuffer previous_;        // [groups, fft_size + 1, lanes]
  std::vector<float> signal_;  // from half a window before the first sample on
  std::vector<float> sum_;
  std::vector<float> gain_;    // makes up for the overlapping windows
  std::vector<float> unused_;  // where lanes without a frame read and write
};

}  // namespace qanat
