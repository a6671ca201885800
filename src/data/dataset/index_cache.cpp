#include "dataset/index_cache.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/url.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"

namespace qanat {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is written as memory is");
static_assert(std::is_trivially_copyable_v<CachedLengths> && sizeof(CachedLengths) == 48,
              "the records are written as they are");

constexpr std::array<char, 8> kMagic = {'Q', 'A', 'N', 'A', 'T', 'I', 'D', 'X'};
constexpr std::uint32_t kVersion = 1;

struct FileHeader {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t record_size = sizeof(CachedLengths);
  std::uint64_t settings_hash = 0;
  std::uint64_t count = 0;
  std::uint64_t checksum = 0;  // of the records, seeded by settings_hash
};
static_assert(std::is_trivially_copyable_v<FileHeader> && sizeof(FileHeader) == 40);

Failure damaged(const Message& why) {
  return to_failure(msg::cache_refused{.why = why});
}

}  // namespace

std::string to_bytes(const IndexCache& cache) {
  const std::size_t payload = cache.lengths.size() * sizeof(CachedLengths);
  std::string bytes(sizeof(FileHeader) + payload, '\0');
  if (payload > 0) {
    std::memcpy(bytes.data() + sizeof(FileHeader), cache.lengths.data(), payload);
  }
  const FileHeader header{
      .settings_hash = cache.settings_hash,
      .count = cache.lengths.size(),
      .checksum =
          content_hash(std::string_view(bytes).substr(sizeof(FileHeader)), cache.settings_hash)};
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

Result<IndexCache> parse_index_cache(std::span<const std::byte> bytes) {
  FileHeader header;
  if (bytes.size() < sizeof(header)) {
    return damaged(msg::cache_cut_off{});
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kMagic) {
    return damaged(msg::cache_other_file{});
  }
  if (header.version != kVersion || header.record_size != sizeof(CachedLengths)) {
    return damaged(msg::cache_version{.version = header.version, .expected = kVersion});
  }
  const std::span<const std::byte> records = bytes.subspan(sizeof(header));
  if (records.size() % sizeof(CachedLengths) != 0 ||
      header.count != records.size() / sizeof(CachedLengths)) {
    return damaged(msg::cache_size{});
  }
  if (header.checksum != content_hash(records, header.settings_hash)) {
    return damaged(msg::cache_checksum{});
  }
  IndexCache cache{.settings_hash = header.settings_hash, .lengths = {}};
  cache.lengths.resize(header.count);
  if (!records.empty()) {
    std::memcpy(cache.lengths.data(), records.data(), records.size());
  }
  return cache;
}

std::vector<std::filesystem::path> index_cache_folders(const std::filesystem::path& data_root) {
  std::vector<std::filesystem::path> folders;
  const char* const cache_home = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache_home != nullptr && *cache_home == '/') {  // the standard says: relative is ignored
    folders.emplace_back(std::filesystem::path(cache_home) / "qanat");
  } else if (home != nullptr && *home != '\0') {
    folders.emplace_back(std::filesystem::path(home) / ".cache" / "qanat");
  }
  if (!is_url(data_root.string())) {
    folders.push_back(data_root / ".qanat");
  }
  return folders;
}

std::string index_cache_name(const Manifest& manifest, std::uint64_t settings_hash) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(manifest.root, error);
  std::string set = (error ? manifest.root : canonical).string();
  for (const std::string& source : manifest.sources) {
    set.append("|").append(source);
  }
  return fmt::format("index-{:016x}.bin", content_hash(set, settings_hash));
}

}  // namespace qanat
