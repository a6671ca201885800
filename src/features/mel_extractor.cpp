#include "features/mel_extractor.h"

#include <algorithm>
#include <type_traits>

#include "base/check.h"
#include "features/mel_tables.h"

namespace qanat {
namespace {

// The index of the sample to be found at `index` of a clip that is mirrored at both ends without
// repeating them.
std::ptrdiff_t mirrored_index(std::ptrdiff_t index, std::ptrdiff_t size) {
  if (size == 1) {
    return 0;
  }
  while (index < 0 || index >= size) {
    index = index < 0 ? -index : 2 * (size - 1) - index;
  }
  return index;
}

}  // namespace

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

void MelExtractor::extract(std::span<const float> samples, std::span<float> out) {
  extract_frames(samples, out);
}

void MelExtractor::extract(std::span<const std::int16_t> samples, std::span<float> out) {
  extract_frames(samples, out);
}

template <typename Sample>
void MelExtractor::extract_frames(std::span<const Sample> samples, std::span<float> out) {
  const auto bins = static_cast<std::ptrdiff_t>(config().mel_bins);
  const auto frames = static_cast<std::ptrdiff_t>(samples.size()) / config().hop;
  QANAT_CHECK(static_cast<std::ptrdiff_t>(out.size()) == frames * bins)
      << out.size() << " values for " << frames << " frames of " << bins;
  const MelKernels& kernels = tables_->kernels();
  const bool is_float = std::is_same_v<Sample, float>;
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
                       .frames = std::min(kernels.lanes, count - f)});
    }
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

// One hop of samples: of the clip itself, or mirrored into the scratch of `lane`.
template <typename Sample>
const Sample* MelExtractor::column(std::span<const Sample> samples,
                                   std::ptrdiff_t index,
                                   int lane) {
  const std::ptrdiff_t hop = config().hop;
  const auto size = static_cast<std::ptrdiff_t>(samples.size());
  const std::ptrdiff_t begin = index * hop - (config().fft_size - hop) / 2;
  if (begin >= 0 && begin + hop <= size) {
    return samples.data() + begin;
  }
  Sample* to = nullptr;
  if constexpr (std::is_same_v<Sample, float>) {
    to = mirrored_.data() + lane * hop;
  } else {
    to = mirrored_pcm16_.data() + lane * hop;
  }
  for (std::ptrdiff_t i = 0; i < hop; ++i) {
    to[i] = samples[static_cast<std::size_t>(mirrored_index(begin + i, size))];
  }
  return to;
}

}  // namespace qanat
