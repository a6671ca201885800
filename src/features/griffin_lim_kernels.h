// The arithmetic of GriffinLim, once per instruction set: as many frames as a register has lanes
// take a step together.
//
// Plain pointers on purpose: the files behind this are compiled for instructions the machine may
// not have, so they must not contain a copy of any shared inline function.
#pragma once

#include <cstdint>

#include "features/fft_plan.h"

namespace qanat {

// The same for every frame.
struct GriffinLimProgram {
  int fft_size = 0;
  const BinPlace* bins = nullptr;  // unpadded, in vectors
  int num_bins = 0;
  FftFactors factors;
  const float* window = nullptr;     // [fft_size]
  const float* synthesis = nullptr;  // [fft_size], the window over fft_size
  float momentum = 0.0F;             // share of the former spectrum that is taken away
};

// One group of frames; pointers to samples are one for each lane.
struct GriffinLimGroup {
  const float* const* signal = nullptr;  // fft_size samples from each
  float* const* sum = nullptr;           // what comes of the frame is added here
  float* work = nullptr;                 // fft_size + 1 vectors, the last one zero
  float* previous = nullptr;             // the same, kept from step to step
  const float* magnitudes = nullptr;     // [num_bins] vectors, in the order of the bins
};

struct GriffinLimKernels {
  const char* name = "";
  int lanes = 0;
  // Spectrum of the signal, its phases under the wanted magnitudes, back to samples.
  void (*step)(const GriffinLimProgram& program, const GriffinLimGroup& group) = nullptr;
  // For the tests: fft_size vectors to bins and back, times fft_size.
  void (*forward)(const GriffinLimProgram& program, float* work) = nullptr;
  void (*inverse)(const GriffinLimProgram& program, float* work) = nullptr;
};

constexpr int kMaxGriffinLimLanes = 8;

GriffinLimKernels baseline_griffin_lim_kernels();
GriffinLimKernels avx2_griffin_lim_kernels();

// The fastest this machine can run.
GriffinLimKernels best_griffin_lim_kernels();

}  // namespace qanat
