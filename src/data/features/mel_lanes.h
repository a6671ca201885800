// The mel kernels as templates over the register type (simd_*.h); included only by the files that
// instantiate them for one instruction set. kernels.h says what they do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/fft_lanes.h"
#include "features/kernels.h"

namespace qanat {

template <typename Lanes>
struct MelLanes {
  static constexpr int kCount = Lanes::kCount;
  static constexpr int kPadding = fft_padding(kCount);
  using Fft = LaneFft<Lanes>;
  using Complex = typename Fft::Complex;

  // A number the compiler knows: addresses made from it need no registers.
  template <std::ptrdiff_t kValue>
  struct FixedInt {
    // NOLINTNEXTLINE(google-explicit-constructor): stands in for a plain integer
    constexpr operator std::ptrdiff_t() const { return kValue; }
  };

  // Columns of the signal to neighbours in the tile.
  static void fill_float(const float* const* columns, const TileTarget& target) {
    std::ptrdiff_t row = 0;
    for (; row + kCount <= target.rows; row += kCount) {
      Lanes block[kCount];
      for (int c = 0; c < kCount; ++c) {
        block[c] = Lanes::load(columns[c] + row);
      }
      transpose(block);
      for (int r = 0; r < kCount; ++r) {
        block[r].store(target.tile + (row + r) * target.stride);
      }
    }
    fill_last_rows(columns, target, row);
  }
  // Moved in pairs, which halves the work of transposing.
  static void fill_pcm16(const std::int16_t* const* columns, const TileTarget& target) {
    constexpr std::ptrdiff_t kRows = 2 * std::ptrdiff_t{kCount};
    const TileTarget to = target;
    std::ptrdiff_t row = 0;
    for (; row + kRows <= to.rows; row += kRows) {
      Lanes block[kCount];
      for (int c = 0; c < kCount; ++c) {
        block[c] = Lanes::load_pairs(columns[c] + row);
      }
      transpose(block);
      for (std::ptrdiff_t r = 0; r < kCount; ++r) {
        float* pair = to.tile + (row + 2 * r) * to.stride;
        first_of(block[r]).store(pair);
        second_of(block[r]).store(pair + to.stride);
      }
    }
    fill_last_rows(columns, target, row);
  }
  template <typename Sample>
  static void fill_last_rows(const Sample* const* columns,
                             const TileTarget& target,
                             std::ptrdiff_t row) {
    for (; row < target.rows; ++row) {
      for (int c = 0; c < kCount; ++c) {
        target.tile[row * target.stride + c] = static_cast<float>(columns[c][row]);
      }
    }
  }

  // Four points of the frame, a quarter apart, on their way into the transform: two sums that make
  // up its even bins, and a complex number that makes up the odd ones.
  struct Opened {
    Lanes even;
    Lanes odd;
    Complex z;
  };
  static Opened open(const Lanes (&points)[4], const float* window, const float* factor) {
    const Lanes a = points[0] * Lanes::broadcast(window[0]);
    const Lanes b = points[1] * Lanes::broadcast(window[4]);
    const Lanes c = points[2];
    const Lanes d = points[3];
    const Lanes c_weight = Lanes::broadcast(window[8]);
    const Lanes d_weight = Lanes::broadcast(window[12]);
    return {
        .even = multiply_add(c, c_weight, a),
        .odd = multiply_add(d, d_weight, b),
        .z = Fft::product(
            negative_multiply_add(c, c_weight, a), negative_multiply_add(d, d_weight, b), factor)};
  }

  // Where the points of a run lie in the tile.
  struct AnyTile {
    const float* tile;
    const std::int32_t* offsets;
    std::ptrdiff_t stride;

    Lanes read(std::ptrdiff_t sixteenth, std::ptrdiff_t index) const {
      return Lanes::load(tile + offsets[sixteenth] + index * stride);
    }
  };
  // The same where a hop is a quarter of the frame: one address and numbers that the compiler
  // knows.
  template <typename Int>
  struct QuarterTile {
    const float* tile;
    Int sixteenth;

    Lanes read(std::ptrdiff_t part, std::ptrdiff_t index) const {
      return Lanes::load(tile + part / 4 + (part % 4 * sixteenth + index) * kQuarterStride);
    }
  };

  // The window and the first two steps of the transform at once, sixteen points a sixteenth apart
  // at a time: every value is read from the tile and written to the work area once.
  template <typename Tile, typename Int>
  static void open_run(const MelProgram& program,
                       const MelGroup& group,
                       const TileRun& run,
                       const Tile tile,
                       Int sixteenth) {
    // Copies: the compiler has to expect that a vector written to memory changes anything there.
    const int log2 = __builtin_ctz(static_cast<unsigned>(program.fft_size));
    const std::ptrdiff_t first = run.first;
    const float* factors = program.factors.real[log2] + 2 * first;
    const float* half_factors = program.factors.real[log2 - 1] + 2 * first;
    const float* quarter_factors = program.factors.complex[log2 - 2] + 6 * first;
    const float* window = group.window + 16 * first;
    float* work = Fft::at(group.work, first);
    const std::ptrdiff_t count = run.count;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      Opened opened[4];
      for (std::ptrdiff_t j = 0; j < 4; ++j) {
        opened[j] =
            open({tile.read(j, i), tile.read(j + 4, i), tile.read(j + 8, i), tile.read(j + 12, i)},
                 window + 16 * i + j,
                 factors + 2 * (i + j * sixteenth));
      }
      split_odd_bins(opened, Fft::at(work, i), sixteenth, quarter_factors + 6 * i);
      split_even_bins(
          opened, Fft::at(work, i), sixteenth, half_factors + 2 * i, quarter_factors + 6 * i);
    }
  }

  template <typename Int>
  static void open_frames(const MelProgram& program, const MelGroup& group, Int sixteenth) {
    if (program.has_quarter_hops && program.tile_stride == kQuarterStride) {
      open_run(program, group, program.runs[0], QuarterTile<Int>{group.tile, sixteenth}, sixteenth);
      return;
    }
    for (int r = 0; r < program.num_runs; ++r) {
      const TileRun& run = program.runs[r];
      open_run(
          program, group, run, AnyTile{group.tile, run.offsets, program.tile_stride}, sixteenth);
    }
  }

  // To sixteenths 8 to 15.
  template <typename Int>
  static void split_odd_bins(const Opened (&opened)[4],
                             float* work,
                             Int sixteenth,
                             const float* quarter_factor) {
    const std::ptrdiff_t step = sixteenth + kPadding;
    float* re = Fft::at(work, 8 * step);
    float* im = Fft::at(work, 12 * step);
    const auto y = Fft::four(opened[0].z, opened[1].z, opened[2].z, opened[3].z);
    Fft::write(re, im, 0, y.out[0]);
    Fft::write(re, im, step, Fft::product(y.out[1], quarter_factor));
    Fft::write(re, im, 2 * step, Fft::product(y.out[2], quarter_factor + 2));
    Fft::write(re, im, 3 * step, Fft::product(y.out[3], quarter_factor + 4));
  }

  // To sixteenths 0 to 7: two steps of the real transform of half the size.
  template <typename Int>
  static void split_even_bins(const Opened (&opened)[4],
                              float* work,
                              Int sixteenth,
                              const float* half_factor,
                              const float* quarter_factor) {
    const std::ptrdiff_t step = sixteenth + kPadding;
    const auto difference = [&](int j) { return opened[j].even - opened[j].odd; };
    const auto sum = [&](int j) { return opened[j].even + opened[j].odd; };
    float* re = Fft::at(work, 4 * step);
    float* im = Fft::at(work, 6 * step);
    Fft::write(re, im, 0, Fft::product(difference(0), difference(2), half_factor));
    Fft::write(
        re, im, sixteenth, Fft::product(difference(1), difference(3), half_factor + 2 * sixteenth));
    const Lanes a = sum(0);
    const Lanes b = sum(1);
    const Lanes c = sum(2);
    const Lanes d = sum(3);
    Fft::write(work, 0, a + c);
    Fft::write(work, sixteenth, b + d);
    Fft::write(Fft::at(work, 2 * step),
               Fft::at(work, 3 * step),
               0,
               Fft::product(a - c, b - d, quarter_factor));
  }

  template <typename Int>
  static void transform_frames(const MelProgram& program, const MelGroup& group, Int sixteenth) {
    open_frames(program, group, sixteenth);
    const auto part = [&](std::ptrdiff_t index) {
      return Fft::at(group.work, index * (sixteenth + kPadding));
    };
    for (std::ptrdiff_t k = 0; k < 4; ++k) {
      Fft::transform(part(8 + k), part(12 + k), sixteenth, program.factors);
    }
    Fft::transform(part(4), part(6), 2 * sixteenth, program.factors);
    Fft::transform(part(2), part(3), sixteenth, program.factors);
    Fft::transform_real(part(0), 2 * sixteenth, program.factors);
  }

  // What the bands weigh, made of the power of a bin. `first` and `other` give the same bits.
  struct Powers {
    static Lanes first(Lanes power) { return power; }
    static Lanes other(Lanes power) { return power; }
  };
  struct Magnitudes {
    static Lanes first(Lanes power) { return square_root(power); }
    static Lanes other(Lanes power) { return square_root(power); }
  };
  // Where the lanes can, every other one by the multipliers instead of the divider: they work side
  // by side. Zero has no root by products.
  struct SafeMagnitudes {
    static Lanes first(Lanes power) { return square_root(power); }
    static Lanes other(Lanes power) {
      if constexpr (requires { square_root_by_products(power); }) {
        return square_root_by_products(power);
      } else {
        return square_root(power);
      }
    }
  };

  // The sum of a band that ends, and of the one that begins, from one edge to the next.
  struct Side {
    Lanes falling;
    Lanes rising;

    void add(const MelBin& bin, Lanes level) {
      falling = multiply_add(level, Lanes::broadcast(bin.falling), falling);
      rising = multiply_add(level, Lanes::broadcast(bin.rising), rising);
    }
  };

  // `power` makes of a bin's real and imaginary part what `Level` takes.
  template <typename Level, typename Power>
  static void sum_bands(const MelProgram& program, const MelGroup& group, Power power) {
    const float* work = group.work;
    const auto power_of = [work, power](const MelBin& bin) {
      return power(Lanes::load(work + bin.re), Lanes::load(work + bin.im));
    };
    const MelBin* bin = program.bins;
    Side side{.falling = Lanes::broadcast(0.0F), .rising = Lanes::broadcast(0.0F)};
    for (int number = 0; number <= program.mel_bins; ++number) {
      const MelBin* end = program.bins + program.side_ends[number];
      side = {.falling = side.rising, .rising = Lanes::broadcast(0.0F)};
      for (; bin + 2 <= end; bin += 2) {
        const Lanes first = Level::first(power_of(bin[0]));
        const Lanes second = Level::other(power_of(bin[1]));
        side.add(bin[0], first);
        side.add(bin[1], second);
      }
      if (bin != end) {
        side.add(*bin, Level::other(power_of(*bin)));
        ++bin;
      }
      if (number > 0) {
        Fft::write(group.bands, number - 1, side.falling);
      }
    }
  }

  static void sum_bands(const MelProgram& program, const MelGroup& group) {
    if (program.takes_power) {
      sum_bands<Powers>(
          program, group, [](Lanes re, Lanes im) { return multiply_add(re, re, im * im); });
      return;
    }
    const Lanes tiny = Lanes::broadcast(program.magnitude_floor);
    const auto power = [tiny](Lanes re, Lanes im) {
      return multiply_add(re, re, multiply_add(im, im, tiny));
    };
    if (program.magnitude_floor >= kMinByProducts) {
      sum_bands<SafeMagnitudes>(program, group, power);
    } else {
      sum_bands<Magnitudes>(program, group, power);
    }
  }

  static void take_roots(float* numbers, std::ptrdiff_t count) {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      Fft::write(numbers, i, SafeMagnitudes::other(Fft::read(numbers, i)));
    }
  }

  // Natural logarithm of positive normal numbers, to 1e-7 of the result: exponent and mantissa
  // apart, a minimax polynomial for ln(1 + r) = r + r^2 p(r), -0.25 <= r < 0.5.
  static Lanes logarithm(Lanes x) {
    Lanes mantissa;
    const Lanes exponent = split_exponent(x, mantissa);
    const Lanes r = mantissa - Lanes::broadcast(1.0F);
    Lanes p = Lanes::broadcast(kLogPolynomial[0]);
    for (int i = 1; i < kLogTerms; ++i) {
      p = multiply_add(p, r, Lanes::broadcast(kLogPolynomial[i]));
    }
    return multiply_add(exponent, Lanes::broadcast(kLn2), multiply_add(p * r, r, r));
  }

  // `value` makes of a band what is written.
  template <typename Value>
  static void write_values(const MelProgram& program, const MelGroup& group, Value value) {
    for (int first = 0; first < program.mel_bins; first += kCount) {
      Lanes block[kCount];
      for (int b = 0; b < kCount; ++b) {
        block[b] = value(Fft::read(group.bands, first + b));
      }
      transpose(block);
      // Counted to kCount so that the block stays in registers.
      for (std::ptrdiff_t f = 0; f < kCount; ++f) {
        if (f < group.frames) {
          float* row = group.out + f * program.mel_bins;
          write_some(block[f], row + first, program.mel_bins - first, group.streams);
        }
      }
    }
  }

  static void write_logs(const MelProgram& program, const MelGroup& group) {
    const Lanes floor = Lanes::broadcast(program.log_floor);
    if (!program.adds_floor && !program.is_normalised) {
      write_values(program, group, [floor](Lanes band) { return logarithm(maximum(band, floor)); });
      return;
    }
    const Lanes mean = Lanes::broadcast(program.mean);
    const Lanes scale = Lanes::broadcast(program.scale);
    const bool adds = program.adds_floor;
    write_values(program, group, [=](Lanes band) {
      return (logarithm(adds ? band + floor : maximum(band, floor)) - mean) * scale;
    });
  }

  // The first `count` lanes, or all.
  static void write_some(Lanes values, float* out, int count, bool streams) {
    if (count >= kCount) {
      if constexpr (requires { values.stream(out); }) {
        if (streams) {
          values.stream(out);
          return;
        }
      }
      values.store(out);
      return;
    }
    float all[kCount];
    values.store(all);
    for (int i = 0; i < count; ++i) {
      out[i] = all[i];
    }
  }

  static void log_mel(const MelProgram& program, const MelGroup& group) {
    if (program.fft_size == 1024) {
      transform_frames(program, group, FixedInt<64>());
    } else {
      transform_frames(program, group, std::ptrdiff_t{program.fft_size / 16});
    }
    sum_bands(program, group);
    write_logs(program, group);
  }

  static MelKernels kernels(const char* name) {
    MelKernels made{.name = name,
                    .lanes = kCount,
                    .fill_float = fill_float,
                    .fill_pcm16 = fill_pcm16,
                    .log_mel = log_mel,
                    .take_roots = take_roots};
    if constexpr (requires { Lanes::end_stream(); }) {
      made.end_stream = Lanes::end_stream;
    }
    return made;
  }

  static constexpr float kMinByProducts = 0x1p-100F;
  static constexpr int kQuarterStride = 4 * kCount;
  static constexpr float kLn2 = 0.69314718055994531F;
  static constexpr int kLogTerms = 8;
  static constexpr float kLogPolynomial[kLogTerms] = {0.0556573682F,
                                                      -0.122116901F,
                                                      0.150003985F,
                                                      -0.16806756F,
                                                      0.199742779F,
                                                      -0.249940321F,
                                                      0.333336204F,
                                                      -0.500000536F};
};

}  // namespace qanat
