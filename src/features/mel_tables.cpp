#include "features/mel_tables.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>

#include <fmt/ranges.h>

#include "base/error.h"
#include "features/mel_filterbank.h"

namespace qanat {
namespace {

// A frame reaches into the next three hops: columns at the end of one tile are filled again for the
// next. More groups, less of that; a smaller tile, fewer cache misses. Three were fastest.
constexpr int kGroupsPerTile = 3;

int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Periodic Hann, centred in the transform like torch.stft does; in the order of use: the sixteen
// factors of points a sixteenth of the frame apart are neighbours.
std::vector<float> make_ordered_window(const MelConfig& config) {
  const auto size = static_cast<std::size_t>(config.fft_size);
  const auto length = static_cast<std::size_t>(config.window);
  std::vector<float> window(size, 0.0F);
  for (std::size_t i = 0; i < length; ++i) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
    const std::size_t at = (size - length) / 2 + i;
    window[at % (size / 16) * 16 + at / (size / 16)] =
        static_cast<float>(0.5 - 0.5 * std::cos(angle));
  }
  return window;
}

// Cuts a sixteenth of the frame into runs in which none of the sixteen points changes its column.
std::vector<TileRun> make_runs(const MelConfig& config, int stride) {
  const int unit = config.fft_size / 16;
  std::vector<TileRun> runs;
  for (int first = 0; first < unit;) {
    TileRun run{.first = first, .count = unit - first};
    for (int part = 0; part < 16; ++part) {
      const int sample = first + part * unit;
      run.offsets[part] = sample % config.hop * stride + sample / config.hop;
      run.count = std::min(run.count, config.hop - sample % config.hop);
    }
    first += run.count;
    runs.push_back(run);
  }
  return runs;
}

std::vector<MelBin> make_bins(const MelFilterbank& bank, const FftPlan& plan, int lanes) {
  std::vector<MelBin> bins;
  int bin = bank.first_bin;
  for (const BinWeights& weights : bank.weights) {
    const BinPlace place = plan.place(bin++);
    bins.push_back({.re = place.re * lanes,
                    .im = place.im * lanes,
                    .rising = weights.rising,
                    .falling = weights.falling});
  }
  return bins;
}

}  // namespace

MelTables::MelTables(const MelConfig& config, const MelKernels& kernels)
    : config_(checked_mel(config)),
      kernels_(kernels),
      plan_(config.fft_size),
      tile_columns_(round_up(tile_frames() + overhang(), kernels.lanes)),
      window_(make_ordered_window(config)),
      pcm16_window_(window_),
      runs_(make_runs(config, tile_columns_)) {
  for (float& factor : pcm16_window_) {
    factor /= 32768.0F;
  }
  const MelFilterbank bank = make_mel_filterbank(config);
  bins_ = make_bins(bank, plan_, kernels.lanes);
  side_ends_.assign(bank.side_ends.begin(), bank.side_ends.end());
  program_ = {.fft_size = config.fft_size,
              .tile_stride = tile_columns_,
              .mel_bins = config.mel_bins,
              .log_floor = config.log_floor,
              .runs = runs_.data(),
              .num_runs = static_cast<int>(runs_.size()),
              .bins = bins_.data(),
              .side_ends = side_ends_.data(),
              .factors = plan_.factors()};
}

int MelTables::tile_frames() const {
  return kernels_.lanes * kGroupsPerTile;
}

}  // namespace qanat
