#include "features/feature_store_writer.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "features/half.h"

namespace qanat {
namespace {

std::array<char, 8> magic_bytes(std::string_view magic) {
  std::array<char, 8> bytes{};
  std::ranges::copy(magic, bytes.begin());
  return bytes;
}

// `record` with its field `checksum` set to the hash of the bytes before that field.
template <typename T>
T sealed(T record) {
  record.checksum = content_hash(std::as_bytes(std::span(&record, 1)).first(offsetof(T, checksum)));
  return record;
}

}  // namespace

ShardWriter::ShardWriter(const std::filesystem::path& path, const ShardSettings& settings)
    : settings_(settings), file_(path), offset_(sizeof(ShardHeader)) {
  QANAT_CHECK(settings.mel_bins > 0 && settings.mel_bins <= kMaxMelBins) << settings.mel_bins;
  const ShardHeader header = sealed(ShardHeader{.magic = magic_bytes(kShardMagic),
                                                .version = kShardVersion,
                                                .dtype = static_cast<std::uint32_t>(settings.dtype),
                                                .mel_bins = settings.mel_bins,
                                                .reserved = 0,
                                                .fingerprint = settings.fingerprint,
                                                .reserved_too = {},
                                                .checksum = 0});
  file_.write(std::as_bytes(std::span(&header, 1)));
}

std::uint32_t ShardWriter::frames_of(const FeatureRecord& record) const {
  QANAT_CHECK(record.mel.size() % settings_.mel_bins == 0)
      << record.mel.size() << " values, " << settings_.mel_bins << " mel bins";
  return static_cast<std::uint32_t>(record.mel.size() / settings_.mel_bins);
}

void ShardWriter::add(const FeatureRecord& record) {
  QANAT_CHECK(!record.id.empty()) << "an entry without id";
  const std::uint32_t frames = frames_of(record);
  const auto tokens = static_cast<std::uint32_t>(record.tokens.size());
  const BlockLayout layout = block_layout(settings_, frames, tokens);
  block_.assign(layout.size, std::byte{0});
  if (settings_.dtype == MelDtype::f32) {
    std::ranges::copy(std::as_bytes(record.mel), block_.begin());
  } else {
    to_half(record.mel, {reinterpret_cast<std::uint16_t*>(block_.data()), record.mel.size()});
  }
  std::ranges::copy(std::as_bytes(record.tokens),
                    block_.begin() + static_cast<std::ptrdiff_t>(layout.tokens_offset));
  file_.write(block_);
  records_.push_back({.audio_size = record.key.audio.size.value,
                      .audio_modified_ns = record.key.audio.modified_ns,
                      .text_hash = record.key.text_hash,
                      .offset = offset_,
                      .checksum = content_hash(block_),
                      .frames = frames,
                      .tokens = tokens,
                      .id_offset = ids_.size(),
                      .id_size = static_cast<std::uint32_t>(record.id.size()),
                      .reserved = 0});
  ids_ += record.id;
  offset_ += layout.size;
}

Bytes ShardWriter::size() const {
  const std::uint64_t index = records_.size() * sizeof(ShardRecord) + ids_.size();
  return Bytes{static_cast<std::int64_t>(offset_ + index + sizeof(ShardFooter))};
}

Bytes ShardWriter::cost(const FeatureRecord& record) const {
  const BlockLayout layout =
      block_layout(settings_, frames_of(record), static_cast<std::uint32_t>(record.tokens.size()));
  return Bytes{static_cast<std::int64_t>(layout.size + sizeof(ShardRecord) + record.id.size())};
}

void ShardWriter::commit() {
  const std::span<const std::byte> records = std::as_bytes(std::span(records_));
  const std::span<const std::byte> ids = std::as_bytes(std::span(ids_));
  std::vector<std::byte> index(records.begin(), records.end());
  index.insert(index.end(), ids.begin(), ids.end());
  const ShardFooter footer = sealed(ShardFooter{.index_offset = offset_,
                                                .num_entries = records_.size(),
                                                .id_bytes = ids_.size(),
                                                .index_checksum = content_hash(index),
                                                .checksum = 0,
                                                .magic = magic_bytes(kShardEndMagic)});
  file_.write(index);
  file_.write(std::as_bytes(std::span(&footer, 1)));
  file_.commit();
}

FeatureStoreWriter::FeatureStoreWriter(const FeatureFolderLock& lock,
                                       const ShardSettings& settings,
                                       Bytes shard_limit)
    : lock_(lock), settings_(settings), shard_limit_(shard_limit) {
  lock_.remove_leftovers();
  const std::vector<ShardFile> present = list_shards(lock_.folder());
  next_number_ =
      lock_.next_number(present.empty() ? std::nullopt : std::optional(present.back().number));
}

void FeatureStoreWriter::begin_shard() {
  shard_.emplace(shard_path(lock_.folder(), next_number_), settings_);
  next_number_ = lock_.next_number(next_number_);
}

void FeatureStoreWriter::add(const FeatureRecord& record) {
  if (shard_ && shard_->num_entries() > 0 && shard_->size() + shard_->cost(record) > shard_limit_) {
    finish();
  }
  if (!shard_) {
    begin_shard();
  }
  shard_->add(record);
}

void FeatureStoreWriter::finish() {
  if (!shard_) {
    return;
  }
  shard_->commit();
  bytes_ += shard_->size();
  num_entries_ += static_cast<std::int64_t>(shard_->num_entries());
  ++num_shards_;
  shard_.reset();
}

}  // namespace qanat
