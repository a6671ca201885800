#include "features/feature_fingerprint.h"

#include "base/content_hash.h"

namespace qanat {
namespace {

// Raise it when decoding, resampling or the extractor gives other values for the same settings.
constexpr int kFeatureVersion = 1;

// Everything but the sizes. Shards of Qanat's own mel are older than these settings, so they count
// only where they differ from its.
void add_kind(ContentHasher& hasher, const MelConfig& config) {
  if (config == sizes_of(config)) {
    return;
  }
  hasher.add(static_cast<int>(config.scale))
      .add(static_cast<int>(config.norm))
      .add(static_cast<int>(config.spectrum))
      .add(static_cast<int>(config.window_kind))
      .add(static_cast<int>(config.frames))
      .add(static_cast<int>(config.padding))
      .add(static_cast<int>(config.floor))
      .add(double{config.magnitude_floor})
      .add(double{config.mean})
      .add(double{config.deviation})
      .add(config.band_rate.value_or(config.sample_rate).value);
}

}  // namespace

std::uint64_t feature_fingerprint(const MelConfig& config, std::uint64_t text_settings) {
  ContentHasher hasher;
  hasher.add(kFeatureVersion)
      .add(config.sample_rate.value)
      .add(config.fft_size)
      .add(config.hop)
      .add(config.window)
      .add(config.mel_bins)
      .add(double{config.fmin})
      .add(double{config.fmax})
      .add(double{config.log_floor})
      .add(text_settings);
  add_kind(hasher, config);
  return hasher.value();
}

}  // namespace qanat
