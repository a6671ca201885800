// The kernels of Griffin-Lim as templates over the register type (simd_*.h); included only by the
// files that instantiate them for one instruction set. kernels.h says what they do.
#pragma once

#include <cstddef>

#include "features/fft_lanes.h"
#include "features/kernels.h"

namespace qanat {

// LaneFft undone (fft_lanes.h): from the places where the transform left the bins back to the
// points, times their number. Decimation in time, step by step the forward one backwards, so it
// needs no other tables and no reordering.
template <typename Lanes>
struct InverseLaneFft {
  using Fft = LaneFft<Lanes>;
  using Complex = typename Fft::Complex;
  using Four = typename Fft::Four;

  // a times the conjugate of the pair that `factor` points to.
  static Complex product(Complex a, const float* factor) {
    const Lanes re = Lanes::broadcast(factor[0]);
    const Lanes im = Lanes::broadcast(factor[1]);
    return {multiply_add(a.im, im, a.re * re), negative_multiply_add(a.re, im, a.im * re)};
  }
  static Four four(Complex a, Complex b, Complex c, Complex d) {
    const Four forward = Fft::four(a, b, c, d);
    return {{forward.out[0], forward.out[3], forward.out[2], forward.out[1]}};
  }
  static Four read_four(const float* re, const float* im, std::ptrdiff_t first) {
    return four(Fft::read(re, im, first),
                Fft::read(re, im, first + 1),
                Fft::read(re, im, first + 2),
                Fft::read(re, im, first + 3));
  }

  // Times exp(i pi / 4), exp(i pi / 2), exp(3 i pi / 4).
  static Complex turn_1_8(Complex a) {
    const Lanes scale = Lanes::broadcast(Fft::kSqrtHalf);
    return {(a.re - a.im) * scale, (a.re + a.im) * scale};
  }
  static Complex turn_2_8(Complex a) { return {Lanes::broadcast(0.0F) - a.im, a.re}; }
  static Complex turn_3_8(Complex a) {
    return {(a.re + a.im) * Lanes::broadcast(-Fft::kSqrtHalf),
            (a.re - a.im) * Lanes::broadcast(Fft::kSqrtHalf)};
  }

  static void transform_eight(float* re, float* im) {
    const Four sums = read_four(re, im, 0);
    const Four y = read_four(re, im, 4);
    const Complex differences[4] = {
        y.out[0], turn_1_8(y.out[1]), turn_2_8(y.out[2]), turn_3_8(y.out[3])};
    for (int i = 0; i < 4; ++i) {
      Fft::write(re, im, i, Fft::sum(sums.out[i], differences[i]));
      Fft::write(re, im, i + 4, Fft::difference(sums.out[i], differences[i]));
    }
  }

  // Joins four transforms of a quarter of the size.
  static void join_by_four(float* re, float* im, std::ptrdiff_t size, const float* factors) {
    const std::ptrdiff_t quarter = size / 4;
    for (std::ptrdiff_t i = 0; i < quarter; ++i, factors += 6) {
      const Four y = four(Fft::read(re, im, i),
                          product(Fft::read(re, im, i + quarter), factors),
                          product(Fft::read(re, im, i + 2 * quarter), factors + 2),
                          product(Fft::read(re, im, i + 3 * quarter), factors + 4));
      for (std::ptrdiff_t k = 0; k < 4; ++k) {
        Fft::write(re, im, i + k * quarter, y.out[k]);
      }
    }
  }

  // The complex transform of any power of two points from 1.
  static void transform(float* re, float* im, std::ptrdiff_t size, const FftFactors& factors) {
    switch (size) {
      case 1:
        return;
      case 2:
        return Fft::transform_two(re, im);
      case 4:
        return Fft::write_four(re, im, 0, read_four(re, im, 0));
      case 8:
        return transform_eight(re, im);
      default:
        break;
    }
    const std::ptrdiff_t quarter = size / 4;
    for (std::ptrdiff_t k = 0; k < 4; ++k) {
      transform(Fft::at(re, k * quarter), Fft::at(im, k * quarter), quarter, factors);
    }
    join_by_four(re, im, size, factors.complex[__builtin_ctz(static_cast<unsigned>(size))]);
  }

  // The transform to any power of two real points from 2.
  static void transform_real(float* x, std::ptrdiff_t size, const FftFactors& factors) {
    const Lanes first = Fft::read(x, 0);
    const Lanes second = Fft::read(x, 1);
    Fft::write(x, 0, first + second);
    Fft::write(x, 1, first - second);
    for (std::ptrdiff_t block = 4; block <= size; block *= 2) {
      const std::ptrdiff_t quarter = block / 4;
      const float* factor = factors.real[__builtin_ctz(static_cast<unsigned>(block))];
      float* re = Fft::at(x, 2 * quarter);
      float* im = Fft::at(x, 3 * quarter);
      transform(re, im, quarter, factors);
      for (std::ptrdiff_t i = 0; i < quarter; ++i, factor += 2) {
        const Lanes even = Fft::read(x, i);
        const Lanes odd = Fft::read(x, i + quarter);
        const Complex half = product(Fft::read(re, im, i), factor);
        // The odd bins were transformed with half as many points as the even ones.
        const Complex z = Fft::sum(half, half);
        Fft::write(x, i, even + z.re);
        Fft::write(x, i + quarter, odd - z.im);
        Fft::write(re, i, even - z.re);
        Fft::write(im, i, odd + z.im);
      }
    }
  }
};

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
    const Lanes doubt = Lanes::broadcast(program.doubt);
    const Lanes level = Lanes::broadcast(program.level);
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
      const Lanes magnitude = Fft::read(group.magnitudes, b);
      const Lanes least = multiply_add(magnitude * magnitude, doubt, tiny);
      const Lanes square =
          multiply_add(driven_re, driven_re, multiply_add(driven_im, driven_im, least));
      const Lanes scale = magnitude * level / square_root(square);
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
