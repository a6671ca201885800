#include "features/mel_extractor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/ranges.h>

#include "base/check.h"
#include "base/error.h"
#include "features/fft_plan.h"
#include "features/kernels.h"
#include "features/mel_config.h"
#include "features/mel_filterbank.h"

namespace qanat {

// Everything MelExtractor computes once from its configuration. Immutable; extractors share it.
class MelTables {
 public:
  // Throws Error naming every problem of `config`.
  MelTables(const MelConfig& config, const MelKernels& kernels);
  MelTables(const MelTables&) = delete;
  MelTables& operator=(const MelTables&) = delete;
  ~MelTables() = default;

  const MelConfig& config() const { return config_; }
  const MelKernels& kernels() const { return kernels_; }
  const MelProgram& program() const { return program_; }

  // Frames one tile serves, and the columns of the tile, a multiple of the lanes.
  int tile_frames() const;
  int tile_columns() const { return tile_columns_; }
  // Columns a frame reaches beyond its own.
  int overhang() const { return (config_.fft_size - 1) / config_.hop; }
  int work_size() const { return plan_.work_size(fft_padding(kernels_.lanes)); }

  // Factor of sample i of a frame at [i % (fft_size / 16) * 16 + i / (fft_size / 16)]: what is used
  // together lies together.
  const float* window() const { return window_.data(); }
  // For samples in units of 2^-15: the same products to the last bit, as the scale is a power of 2.
  const float* pcm16_window() const { return pcm16_window_.data(); }

 private:
  MelConfig config_;
  MelKernels kernels_;
  FftPlan plan_;
  int tile_columns_;
  std::vector<float> window_;
  std::vector<float> pcm16_window_;
  std::vector<TileRun> runs_;
  std::vector<MelBin> bins_;
  std::vector<std::int32_t> side_ends_;
  MelProgram program_;  // points into the fields above
};

namespace {

// A frame reaches into the next three hops: columns at the end of one tile are filled again for the
// next. More groups, less of that; a smaller tile, fewer cache misses. Three were fastest.
constexpr int kGroupsPerTile = 3;

int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Hann, centred in the transform like torch.stft does; in the order of use: the sixteen factors of
// points a sixteenth of the frame apart are neighbours.
std::vector<float> make_ordered_window(const MelConfig& config) {
  const auto size = static_cast<std::size_t>(config.fft_size);
  const auto length = static_cast<std::size_t>(config.window);
  const bool symmetric = config.window_kind == MelWindow::symmetric && length > 1;
  const auto period = static_cast<double>(symmetric ? length - 1 : length);
  std::vector<float> window(size, 0.0F);
  for (std::size_t i = 0; i < length; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / period;
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
    const BinPlace place = plan.place(bin++, fft_padding(lanes));
    bins.push_back({.re = place.re * lanes,
                    .im = place.im * lanes,
                    .rising = weights.rising,
                    .falling = weights.falling});
  }
  return bins;
}

// The index of the sample to be found at `index` of a clip that is mirrored at both ends without
// repeating them.
std::ptrdiff_t mirrored_index(std::ptrdiff_t index, std::ptrdiff_t size) {
  if (size == 1) {
    return 0;
  }
  index = index < 0 ? -index : index;
  index = index < size ? index : 2 * (size - 1) - index;
  // Only in clips that are shorter than the reach of a frame.
  while (index < 0 || index >= size)
    [[unlikely]] {
      index = index < 0 ? -index : 2 * (size - 1) - index;
    }
  return index;
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
              .magnitude_floor = config.magnitude_floor,
              .takes_power = config.spectrum == MelSpectrum::power,
              .adds_floor = config.floor == MelFloor::add,
              .is_normalised = config.mean != 0 || config.deviation != 1,
              .scale = 1.0F / config.deviation,
              .mean = config.mean,
              .runs = runs_.data(),
              .num_runs = static_cast<int>(runs_.size()),
              .has_quarter_hops = config.hop * 4 == config.fft_size,
              .bins = bins_.data(),
              .side_ends = side_ends_.data(),
              .factors = plan_.factors()};
}

int MelTables::tile_frames() const {
  return kernels_.lanes * kGroupsPerTile;
}

MelExtractor::MelExtractor(const MelConfig& config)
    : MelExtractor(config, usable_mel_kernels().front()) {}

MelExtractor::MelExtractor(const MelConfig& config, const MelKernels& kernels)
    : tables_(std::make_shared<const MelTables>(config, kernels)) {
  QANAT_CHECK(kernels.lanes <= kMaxLanes) << kernels.lanes;
  const auto lanes = static_cast<std::size_t>(kernels.lanes);
  const auto hop = static_cast<std::size_t>(config.hop);
  const auto bins = static_cast<std::size_t>(config.mel_bins);
  tile_.resize(hop * static_cast<std::size_t>(tables_->tile_columns()));
  work_.resize(lanes * static_cast<std::size_t>(tables_->work_size()));
  bands_.resize(lanes * ((bins + lanes - 1) / lanes * lanes));
  mirrored_.resize(lanes * hop);
  mirrored_pcm16_.resize(lanes * hop);
}

const MelConfig& MelExtractor::config() const {
  return tables_->config();
}

void MelExtractor::extract(std::span<const float> samples, std::span<float> out, MelUse use) {
  extract_frames(samples, out, use);
}

void MelExtractor::extract(std::span<const std::int16_t> samples,
                           std::span<float> out,
                           MelUse use) {
  extract_frames(samples, out, use);
}

// Past the caches go whole cache lines only.
bool MelExtractor::can_stream(std::span<const float> out) const {
  constexpr std::size_t kLine = 64;
  return tables_->kernels().end_stream != nullptr &&
         static_cast<std::size_t>(config().mel_bins) * sizeof(float) % kLine == 0 &&
         reinterpret_cast<std::uintptr_t>(out.data()) % kLine == 0;
}

template <typename Sample>
void MelExtractor::extract_frames(std::span<const Sample> samples,
                                  std::span<float> out,
                                  MelUse use) {
  const auto bins = static_cast<std::ptrdiff_t>(config().mel_bins);
  const SampleCount length{static_cast<std::int64_t>(samples.size())};
  const std::ptrdiff_t frames = mel_frames(length, config()).value;
  QANAT_CHECK(static_cast<std::ptrdiff_t>(out.size()) == frames * bins)
      << out.size() << " values for " << frames << " frames of " << bins;
  const MelKernels& kernels = tables_->kernels();
  const bool is_float = std::is_same_v<Sample, float>;
  const bool streams = use == MelUse::later && can_stream(out);
  for (std::ptrdiff_t first = 0; first < frames; first += tables_->tile_frames()) {
    const auto count =
        static_cast<int>(std::min<std::ptrdiff_t>(tables_->tile_frames(), frames - first));
    fill_tile(samples, first, count + tables_->overhang());
    for (int f = 0; f < count; f += kernels.lanes) {
      kernels.log_mel(tables_->program(),
                      {.tile = tile_.data() + f,
                       .window = is_float ? tables_->window() : tables_->pcm16_window(),
                       .work = work_.data(),
                       .bands = bands_.data(),
                       .out = out.data() + (first + f) * bins,
                       .frames = std::min(kernels.lanes, count - f),
                       .streams = streams});
    }
  }
  if (streams) {
    kernels.end_stream();
  }
}

template <typename Sample>
void MelExtractor::fill_tile(std::span<const Sample> samples,
                             std::ptrdiff_t first_column,
                             int columns) {
  const MelKernels& kernels = tables_->kernels();
  for (int c = 0; c < columns; c += kernels.lanes) {
    const Sample* sources[kMaxLanes];
    for (int lane = 0; lane < kernels.lanes; ++lane) {
      // No frame that is wanted reads the columns beyond; any samples will do.
      sources[lane] =
          c + lane < columns ? column(samples, first_column + c + lane, lane) : sources[0];
    }
    const TileTarget target{
        .tile = tile_.data() + c, .stride = tables_->tile_columns(), .rows = config().hop};
    if constexpr (std::is_same_v<Sample, float>) {
      kernels.fill_float(sources, target);
    } else {
      kernels.fill_pcm16(sources, target);
    }
  }
}

// One hop of samples: of the clip itself, or made up in the scratch of `lane`.
template <typename Sample>
const Sample* MelExtractor::column(std::span<const Sample> samples,
                                   std::ptrdiff_t index,
                                   int lane) {
  const std::ptrdiff_t hop = config().hop;
  const auto size = static_cast<std::ptrdiff_t>(samples.size());
  const std::ptrdiff_t begin = index * hop - frame_lead(config());
  if (begin >= 0 && begin + hop <= size) {
    return samples.data() + begin;
  }
  Sample* to = nullptr;
  if constexpr (std::is_same_v<Sample, float>) {
    to = mirrored_.data() + lane * hop;
  } else {
    to = mirrored_pcm16_.data() + lane * hop;
  }
  const bool mirrors = config().padding == MelPadding::reflect;
  for (std::ptrdiff_t i = 0; i < hop; ++i) {
    const bool inside = begin + i >= 0 && begin + i < size;
    to[i] = inside || mirrors ? samples[static_cast<std::size_t>(mirrored_index(begin + i, size))]
                              : Sample{0};
  }
  return to;
}

}  // namespace qanat
