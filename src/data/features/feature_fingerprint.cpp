#include "features/feature_fingerprint.h"

#include <optional>
#include <type_traits>

#include "base/content_hash.h"

namespace qanat {
namespace {

// Raise it when decoding, resampling or the extractor gives other values for the same settings.
constexpr int kFeatureVersion = 1;

// Adds the value of a field.
class FieldHasher {
 public:
  FieldHasher(ContentHasher& hasher, const MelConfig& config) : hasher_(hasher), config_(config) {}

  void operator()(const char* /*name*/, SampleRate rate) const { hasher_.add(rate.value); }
  void operator()(const char* /*name*/, int value) const { hasher_.add(value); }
  void operator()(const char* /*name*/, float value) const { hasher_.add(double{value}); }
  template <typename E>
  requires std::is_enum_v<E>
  void operator()(const char* /*name*/, E value) const { hasher_.add(static_cast<int>(value)); }
  void operator()(const char* /*name*/, const std::optional<SampleRate>& rate) const {
    hasher_.add(rate.value_or(config_.sample_rate).value);
  }

 private:
  ContentHasher& hasher_;
  const MelConfig& config_;
};

}  // namespace

std::uint64_t feature_fingerprint(const MelConfig& config, std::uint64_t text_settings) {
  ContentHasher hasher;
  hasher.add(kFeatureVersion);
  MelConfig::visit_sizes(config, FieldHasher(hasher, config));
  hasher.add(text_settings);
  // Shards of Qanat's own mel are older than these settings, so they count only where they differ
  // from its.
  if (config != sizes_of(config)) {
    MelConfig::visit_kind(config, FieldHasher(hasher, config));
  }
  return hasher.value();
}

}  // namespace qanat
