// The kernels of Griffin-Lim as templates over the register type (simd_*.h); included only by the
// files that instantiate them for one instruction set. griffin_lim_kernels.h says what they do.
#pragma once

#include <cstddef>

#include "features/griffin_lim_kernels.h"
#include "features/inverse_fft_lanes.h"

namespace qanat {

template <typename Lanes>
struct GriffinLimLanes {
  static constexpr int kCount = Lanes::kCount;
  using Fft = LaneFft<Lanes>;
  using Inverse = InverseLaneFft<Lanes>;

  // Samples of each frame to vectors of one sample of all frames, under the window.
  static void open(const GriffinLimProgram& program, const GriffinLimGroup& group) {
    for (std::ptrdiff_t first = 0; first < program.fft_size; first += kCount) {
      Lanes block[kCount];
      for (int lane = 0; lane < kCount; ++lane) {
        block[lane] = Lanes::load(group.signal[lane] + first);
      }
      transpose(block);
      for (int i = 0; i < kCount; ++i) {
        Fft::write(group.work, first + i, block[i] * Lanes::broadcast(program.window[first + i]));
      }
    }
  }

  // The phases of the spectrum, driven on from the former one, under the wanted magnitudes.
  static void project(const GriffinLimProgram& program, const GriffinLimGroup& group) {
    const Lanes momentum = Lanes::broadcast(program.momentum);
    const Lanes tiny = Lanes::broadcast(kTiny);
    for (std::ptrdiff_t b = 0; b < program.num_bins; ++b) {
      const std::ptrdiff_t re_at = program.bins[b].re;
      const std::ptrdiff_t im_at = program.bins[b].im;
      const Lanes re = Fft::read(group.work, re_at);
      const Lanes im = Fft::read(group.work, im_at);
      const Lanes driven_re = negative_multiply_add(momentum, Fft::read(group.previous, re_at), re);
      const Lanes driven_im = negative_multiply_add(momentum, Fft::read(group.previous, im_at), im);
      Fft::write(group.previous, re_at, re);
      Fft::write(group.previous, im_at, im);
      const Lanes square =
          multiply_add(driven_re, driven_re, multiply_add(driven_im, driven_im, tiny));
      const Lanes scale = Fft::read(group.magnitudes, b) / square_root(square);
      Fft::write(group.work, re_at, driven_re * scale);
      Fft::write(group.work, im_at, driven_im * scale);
    }
  }

  static void close(const GriffinLimProgram& program, const GriffinLimGroup& group) {
    for (std::ptrdiff_t first = 0; first < program.fft_size; first += kCount) {
      Lanes block[kCount];
      for (int i = 0; i < kCount; ++i) {
        block[i] =
            Fft::read(group.work, first + i) * Lanes::broadcast(program.synthesis[first + i]);
      }
      transpose(block);
      for (int lane = 0; lane < kCount; ++lane) {
        float* to = group.sum[lane] + first;
        (Lanes::load(to) + block[lane]).store(to);
      }
    }
  }

  static void forward(const GriffinLimProgram& program, float* work) {
    Fft::transform_real(work, program.fft_size, program.factors);
  }
  static void inverse(const GriffinLimProgram& program, float* work) {
    Inverse::transform_real(work, program.fft_size, program.factors);
  }

  static void step(const GriffinLimProgram& program, const GriffinLimGroup& group) {
    open(program, group);
    forward(program, group.work);
    project(program, group);
    inverse(program, group.work);
    close(program, group);
  }

  static GriffinLimKernels kernels(const char* name) {
    return {.name = name, .lanes = kCount, .step = step, .forward = forward, .inverse = inverse};
  }

  static constexpr float kTiny = 1e-20F;  // under the root; silence has no phase
};

}  // namespace qanat
