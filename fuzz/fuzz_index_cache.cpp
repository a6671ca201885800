// Any bytes as an index cache: refused, or what comes out writes the same bytes again. The input
// is tried as it is and with a checksum that fits, so that what lies behind it is reached.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "base/check.h"
#include "base/content_hash.h"
#include "dataset/index_cache.h"

namespace {

constexpr std::size_t kHeader = 40;
constexpr std::size_t kSettingsAt = 16;
constexpr std::size_t kChecksumAt = 32;

void check(std::string_view bytes) {
  const auto cache = qanat::parse_index_cache(std::as_bytes(std::span(bytes)));
  if (cache) {
    QANAT_CHECK(qanat::to_bytes(cache.value()) == bytes) << bytes.size() << " bytes";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  if (size >= kHeader) {
    std::uint64_t settings = 0;
    std::memcpy(&settings, bytes.data() + kSettingsAt, sizeof(settings));
    const std::uint64_t checksum =
        qanat::content_hash(std::string_view(bytes).substr(kHeader), settings);
    std::memcpy(bytes.data() + kChecksumAt, &checksum, sizeof(checksum));
    check(bytes);
  }
  return 0;
}
