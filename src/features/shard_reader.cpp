#include "features/shard_view.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "base/content_hash.h"

namespace qanat {
namespace {

template <typename T>
T read_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Of a header or footer: everything in front of its field `checksum`.
std::uint64_t checksum_before(std::span<const std::byte> bytes, std::size_t checksum_offset) {
  return content_hash(bytes.first(checksum_offset));
}

bool is_magic(const std::array<char, 8>& bytes, std::string_view magic) {
  return std::string_view(bytes.data(), bytes.size()) == magic;
}

Result<ShardSettings> read_header(std::span<const std::byte> bytes) {
  const auto header = read_at<ShardHeader>(bytes, 0);
  if (!is_magic(header.magic, kShardMagic)) {
    return Failure{"not a shard: it does not begin as one"};
  }
  if (header.checksum != checksum_before(bytes, offsetof(ShardHeader, checksum))) {
    return Failure{"damaged header: its checksum does not match"};
  }
  if (header.version != kShardVersion) {
    return Failure{fmt::format("shard version {}; expected {}", header.version, kShardVersion)};
  }
  if (header.dtype > static_cast<std::uint32_t>(MelDtype::f16) || header.mel_bins == 0 ||
      header.mel_bins > kMaxMelBins) {
    return Failure{
        fmt::format("impossible header: dtype {}, {} mel bins", header.dtype, header.mel_bins)};
  }
  return ShardSettings{.fingerprint = header.fingerprint,
                       .dtype = static_cast<MelDtype>(header.dtype),
                       .mel_bins = header.mel_bins};
}

Result<ShardFooter> read_footer(std::span<const std::byte> bytes) {
  const std::size_t start = bytes.size() - sizeof(ShardFooter);
  const auto footer = read_at<ShardFooter>(bytes, start);
  if (!is_magic(footer.magic, kShardEndMagic)) {
    return Failure{"cut off: it does not end as a shard"};
  }
  if (footer.checksum != checksum_before(bytes.subspan(start), offsetof(ShardFooter, checksum))) {
    return Failure{"damaged footer: its checksum does not match"};
  }
  // Compared in this order no sum can overflow.
  const std::uint64_t room = start - sizeof(ShardHeader);
  const std::uint64_t most_entries = room / sizeof(ShardRecord);
  if (footer.num_entries > most_entries || footer.id_bytes > room || footer.index_offset > start ||
      footer.index_offset < sizeof(ShardHeader) ||
      footer.index_offset + footer.num_entries * sizeof(ShardRecord) + footer.id_bytes != start) {
    return Failure{"impossible footer: the index does not fill the place before it"};
  }
  return footer;
}

}  // namespace

Result<ShardView> ShardView::open(std::span<const std::byte> bytes) {
  QANAT_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % kShardAlignment == 0)
      << "shard bytes are not aligned";
  if (bytes.size() < sizeof(ShardHeader) + sizeof(ShardFooter)) {
    return Failure{fmt::format("too short for a shard: {} bytes", bytes.size())};
  }
  const Result<ShardSettings> settings = read_header(bytes);
  if (!settings) {
    return settings.failure();
  }
  const Result<ShardFooter> footer = read_footer(bytes);
  if (!footer) {
    return footer.failure();
  }
  ShardView view(bytes, settings.value());
  if (const Result<Done> checked = view.check_index(footer.value()); !checked) {
    return checked.failure();
  }
  return view;
}

Result<Done> ShardView::check_index(const ShardFooter& footer) {
  const std::size_t record_bytes = footer.num_entries * sizeof(ShardRecord);
  const auto index = bytes_.subspan(footer.index_offset, record_bytes + footer.id_bytes);
  if (footer.index_checksum != content_hash(index)) {
    return Failure{"damaged index: its checksum does not match"};
  }
  num_entries_ = footer.num_entries;
  records_ = index.first(record_bytes);
  const auto ids = index.subspan(record_bytes);
  ids_ = std::string_view(reinterpret_cast<const char*>(ids.data()), ids.size());
  // Blocks and ids lie one behind the other without gaps, so nothing overlaps and no byte of the
  // file is outside some checksum.
  std::uint64_t block_end = sizeof(ShardHeader);
  std::uint64_t id_end = 0;
  for (std::size_t i = 0; i < num_entries_; ++i) {
    const ShardRecord r = record(i);
    const std::uint64_t size = layout(r).size;
    if (r.offset != block_end || size > footer.index_offset - block_end || r.id_offset != id_end ||
        r.id_size == 0 || r.id_size > ids_.size() - id_end) {
      return Failure{fmt::format("impossible index: entry {} lies outside its place", i)};
    }
    block_end += size;
    id_end += r.id_size;
  }
  if (block_end != footer.index_offset || id_end != ids_.size()) {
    return Failure{"impossible index: its entries do not fill the shard"};
  }
  return Done{};
}

ShardRecord ShardView::record(std::size_t index) const {
  QANAT_CHECK(index < num_entries_) << index << " of " << num_entries_;
  return read_at<ShardRecord>(records_, index * sizeof(ShardRecord));
}

BlockLayout ShardView::layout(const ShardRecord& record) const {
  return block_layout(settings_, record.frames, record.tokens);
}

ShardEntry ShardView::entry(std::size_t index) const {
  const ShardRecord r = record(index);
  return {.id = ids_.substr(r.id_offset, r.id_size),
          .key = {.audio = {.size = Bytes{r.audio_size}, .modified_ns = r.audio_modified_ns},
                  .text_hash = r.text_hash},
          .frames = FrameCount{r.frames},
          .tokens = TokenCount{r.tokens}};
}

bool ShardView::intact(std::size_t index) const {
  const ShardRecord r = record(index);
  return content_hash(bytes_.subspan(r.offset, layout(r).size)) == r.checksum;
}

std::span<const std::byte> ShardView::mel(std::size_t index) const {
  const ShardRecord r = record(index);
  return bytes_.subspan(r.offset, layout(r).mel_bytes);
}

std::span<const std::int32_t> ShardView::tokens(std::size_t index) const {
  const ShardRecord r = record(index);
  const auto* begin =
      reinterpret_cast<const std::int32_t*>(bytes_.data() + r.offset + layout(r).tokens_offset);
  return {begin, r.tokens};
}

}  // namespace qanat
