// The FFT of as many frames at once as a register has lanes: lane l of every vector belongs to
// frame l, so no step shuffles anything. That is why it is written by hand: FFTW, which transforms
// one frame after the other, takes twice as long.
//
// Decimation in frequency, in place; fft_plan.h says where each bin ends up. Templates over the
// register type (simd_*.h); included only by the kernel files, each compiled for one instruction
// set.
#pragma once

#include <cstddef>

#include "features/fft_plan.h"

namespace qanat {

template <typename Lanes>
struct LaneFft {
  // A complex number per lane.
  struct Complex {
    Lanes re;
    Lanes im;
  };
  struct Four {
    Complex out[4];
  };

  // Memory is seen as vectors; indices count those.
  template <typename Float>
  static Float* at(Float* from, std::ptrdiff_t index) {
    return from + index * Lanes::kCount;
  }
  static Lanes read(const float* from, std::ptrdiff_t index) {
    return Lanes::load(at(from, index));
  }
  static void write(float* to, std::ptrdiff_t index, Lanes value) { value.store(at(to, index)); }
  static Complex read(const float* re, const float* im, std::ptrdiff_t index) {
    return {read(re, index), read(im, index)};
  }
  static void write(float* re, float* im, std::ptrdiff_t index, Complex value) {
    write(re, index, value.re);
    write(im, index, value.im);
  }

  static Complex sum(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  static Complex difference(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
  // a + i b, a - i b
  static Complex sum_i(Complex a, Complex b) { return {a.re - b.im, a.im + b.re}; }
  static Complex difference_i(Complex a, Complex b) { return {a.re + b.im, a.im - b.re}; }
  static Complex product(Complex a, Lanes re, Lanes im) {
    return {negative_multiply_add(a.im, im, a.re * re), multiply_add(a.re, im, a.im * re)};
  }
  // `factor` points to a pair, the same for all lanes.
  static Complex product(Complex a, const float* factor) {
    return product(a, Lanes::broadcast(factor[0]), Lanes::broadcast(factor[1]));
  }
  // (a - i b) times the factor
  static Complex product(Lanes a, Lanes b, const float* factor) {
    const Lanes re = Lanes::broadcast(factor[0]);
    const Lanes im = Lanes::broadcast(factor[1]);
    return {multiply_add(b, im, a * re), multiply_subtract(a, im, b * re)};
  }

  // Times exp(-i pi / 4), exp(-i pi / 2), exp(-3 i pi / 4).
  static Complex turn_1_8(Complex a) {
    const Lanes scale = Lanes::broadcast(kSqrtHalf);
    return {(a.re + a.im) * scale, (a.im - a.re) * scale};
  }
  static Complex turn_2_8(Complex a) { return {a.im, Lanes::broadcast(0.0F) - a.re}; }
  static Complex turn_3_8(Complex a) {
    return {(a.im - a.re) * Lanes::broadcast(kSqrtHalf),
            (a.re + a.im) * Lanes::broadcast(-kSqrtHalf)};
  }

  static Four four(Complex a, Complex b, Complex c, Complex d) {
    const Complex even = sum(a, c);
    const Complex even_difference = difference(a, c);
    const Complex odd = sum(b, d);
    const Complex odd_difference = difference(b, d);
    return {{sum(even, odd),
             difference_i(even_difference, odd_difference),
             difference(even, odd),
             sum_i(even_difference, odd_difference)}};
  }
  static Four read_four(const float* re,
                        const float* im,
                        std::ptrdiff_t first,
                        std::ptrdiff_t step) {
    return four(read(re, im, first),
                read(re, im, first + step),
                read(re, im, first + 2 * step),
                read(re, im, first + 3 * step));
  }
  static void write_four(float* re, float* im, std::ptrdiff_t first, const Four& values) {
    for (int k = 0; k < 4; ++k) {
      write(re, im, first + k, values.out[k]);
    }
  }

  static void transform_two(float* re, float* im) {
    const Complex a = read(re, im, 0);
    const Complex b = read(re, im, 1);
    write(re, im, 0, sum(a, b));
    write(re, im, 1, difference(a, b));
  }

  static void transform_eight(float* re, float* im) {
    Complex sums[4];
    Complex differences[4];
    for (int i = 0; i < 4; ++i) {
      const Complex a = read(re, im, i);
      const Complex b = read(re, im, i + 4);
      sums[i] = sum(a, b);
      differences[i] = difference(a, b);
    }
    write_four(re, im, 0, four(sums[0], sums[1], sums[2], sums[3]));
    write_four(re,
               im,
               4,
               four(differences[0],
                    turn_1_8(differences[1]),
                    turn_2_8(differences[2]),
                    turn_3_8(differences[3])));
  }

  static void transform_sixteen(float* re, float* im) {
    const Lanes c = Lanes::broadcast(kCosSixteenth);
    const Lanes s = Lanes::broadcast(kSinSixteenth);
    const Lanes minus_c = Lanes::broadcast(-kCosSixteenth);
    const Lanes minus_s = Lanes::broadcast(-kSinSixteenth);
    const Four y0 = read_four(re, im, 0, 4);
    const Four y1 = read_four(re, im, 1, 4);
    const Four y2 = read_four(re, im, 2, 4);
    const Four y3 = read_four(re, im, 3, 4);
    write_four(re, im, 0, four(y0.out[0], y1.out[0], y2.out[0], y3.out[0]));
    write_four(re,
               im,
               4,
               four(y0.out[1],
                    product(y1.out[1], c, minus_s),
                    turn_1_8(y2.out[1]),
                    product(y3.out[1], s, minus_c)));
    write_four(
        re, im, 8, four(y0.out[2], turn_1_8(y1.out[2]), turn_2_8(y2.out[2]), turn_3_8(y3.out[2])));
    write_four(re,
               im,
               12,
               four(y0.out[3],
                    product(y1.out[3], s, minus_c),
                    turn_3_8(y2.out[3]),
                    product(y3.out[3], minus_c, s)));
  }

  // Cuts a transform into four of a quarter of the size, one after the other in memory.
  static void split_by_four(float* re, float* im, std::ptrdiff_t size, const float* factors) {
    const std::ptrdiff_t quarter = size / 4;
    for (std::ptrdiff_t i = 0; i < quarter; ++i, factors += 6) {
      const Four y = read_four(re, im, i, quarter);
      write(re, im, i, y.out[0]);
      write(re, im, i + quarter, product(y.out[1], factors));
      write(re, im, i + 2 * quarter, product(y.out[2], factors + 2));
      write(re, im, i + 3 * quarter, product(y.out[3], factors + 4));
    }
  }

  // The complex transform of any power of two points from 1.
  static void transform(float* re, float* im, std::ptrdiff_t size, const FftFactors& factors) {
    switch (size) {
      case 1:
        return;
      case 2:
        return transform_two(re, im);
      case 4:
        return write_four(re, im, 0, read_four(re, im, 0, 1));
      case 8:
        return transform_eight(re, im);
      case 16:
        return transform_sixteen(re, im);
      default:
        break;
    }
    split_by_four(re, im, size, factors.complex[__builtin_ctz(static_cast<unsigned>(size))]);
    const std::ptrdiff_t quarter = size / 4;
    for (std::ptrdiff_t k = 0; k < 4; ++k) {
      transform(at(re, k * quarter), at(im, k * quarter), quarter, factors);
    }
  }

  // The transform of any power of two real points from 2.
  static void transform_real(float* x, std::ptrdiff_t size, const FftFactors& factors) {
    for (; size > 2; size /= 2) {
      const std::ptrdiff_t quarter = size / 4;
      const float* factor = factors.real[__builtin_ctz(static_cast<unsigned>(size))];
      float* re = at(x, 2 * quarter);
      float* im = at(x, 3 * quarter);
      for (std::ptrdiff_t i = 0; i < quarter; ++i, factor += 2) {
        const Lanes a = read(x, i);
        const Lanes b = read(x, i + quarter);
        const Lanes c = read(re, i);
        const Lanes d = read(im, i);
        write(x, i, a + c);
        write(x, i + quarter, b + d);
        write(re, im, i, product(a - c, b - d, factor));
      }
      transform(re, im, quarter, factors);
    }
    const Lanes a = read(x, 0);
    const Lanes b = read(x, 1);
    write(x, 0, a + b);
    write(x, 1, a - b);
  }

  static constexpr float kSqrtHalf = 0.70710678118654752F;
  static constexpr float kCosSixteenth = 0.92387953251128674F;  // of a sixteenth of a turn
  static constexpr float kSinSixteenth = 0.38268343236508977F;
};

}  // namespace qanat
