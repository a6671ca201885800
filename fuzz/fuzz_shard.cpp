// Opens arbitrary bytes as a shard and reads every entry.
//
// Checksums keep a fuzzer out of everything behind them, so each input is tried as it is and with
// the checksums made right. seeds/fuzz_shard has a small whole shard of each dtype.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/content_hash.h"
#include "features/shard_format.h"
#include "features/shard_reader.h"
#include "features/shard_testing.h"

namespace qanat {
namespace {

template <typename T>
T read_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void seal_at(std::span<std::byte> bytes, std::size_t offset, std::string_view magic) {
  std::memcpy(bytes.data() + offset + offsetof(T, magic), magic.data(), magic.size());
  const std::uint64_t checksum = content_hash(bytes.subspan(offset, offsetof(T, checksum)));
  std::memcpy(bytes.data() + offset + offsetof(T, checksum), &checksum, sizeof checksum);
}

template <typename T>
void write_at(std::span<std::byte> bytes, std::size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

bool has_frame(std::span<const std::byte> bytes) {
  return bytes.size() >= sizeof(ShardHeader) + sizeof(ShardFooter);
}

// Magic, version and checksums as they should be; everything else as the input says.
void seal(std::span<std::byte> bytes) {
  const std::size_t end = bytes.size() - sizeof(ShardFooter);
  const auto index_offset = read_at<ShardFooter>(bytes, end).index_offset % (end + 1);
  write_at(bytes, offsetof(ShardHeader, version), kShardVersion);
  write_at(bytes,
           end + offsetof(ShardFooter, index_checksum),
           content_hash(bytes.first(end).subspan(index_offset)));
  seal_at<ShardHeader>(bytes, 0, kShardMagic);
  seal_at<ShardFooter>(bytes, end, kShardEndMagic);
}

// Touches all that a reader may touch; the sum keeps the compiler from skipping it.
std::uint64_t read_all(std::span<const std::byte> bytes) {
  const Result<ShardReader> opened = open_in_memory(bytes);
  if (!opened) {
    return opened.failure().what.size();
  }
  const ShardReader& reader = opened.value();
  std::vector<float> mel;
  std::vector<std::int32_t> tokens;
  PageBuffer scratch;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < reader.size(); ++i) {
    const ShardEntry entry = reader.entry(i);
    mel.resize(static_cast<std::size_t>(entry.frames.value) * reader.settings().mel_bins);
    tokens.resize(static_cast<std::size_t>(entry.tokens.value));
    const bool is_read = reader.read(i, {.mel = mel, .tokens = tokens}, scratch).ok();
    QANAT_CHECK(is_read == reader.check(i, scratch).ok()) << i;
    sum += static_cast<std::uint64_t>(entry.id.front()) + (is_read ? 1U : 0U);
  }
  return sum;
}

}  // namespace
}  // namespace qanat

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto given = std::as_bytes(std::span(data, size));
  std::vector<std::byte> input(given.begin(), given.end());
  volatile std::uint64_t sum = qanat::read_all(input);
  if (qanat::has_frame(input)) {
    qanat::seal(input);
    sum = sum + qanat::read_all(input);
  }
  return 0;
}
