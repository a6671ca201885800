#include "features/feature_fingerprint.h"

#include "base/content_hash.h"

namespace qanat {
namespace {

// Raise it when decoding, resampling or the extractor gives other values for the same settings.
constexpr int kFeatureVersion = 1;

}  // namespace

std::uint64_t feature_fingerprint(const MelConfig& config, std::uint64_t text_settings) {
  const auto& [sample_rate, fft_size, hop, window, mel_bins, fmin, fmax, log_floor] = config;
  return ContentHasher()
      .add(kFeatureVersion)
      .add(sample_rate.value)
      .add(fft_size)
      .add(hop)
      .add(window)
      .add(mel_bins)
      .add(double{fmin})
      .add(double{fmax})
      .add(double{log_floor})
      .add(text_settings)
      .value();
}

}  // namespace qanat
