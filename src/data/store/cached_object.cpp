#include "store/cached_object.h"

#include <algorithm>
#include <utility>

#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr std::int64_t kMaxBlocks = 8;  // of one request

}  // namespace

// The right to fetch blocks; given up when it ends, however it ends.
class CachedObject::Claim {
 public:
  // Waits while somebody else fetches the first block; takes those behind it that nobody does.
  Claim(const CachedObject& object, const Blocks& wanted) : object_(object) {
    std::unique_lock lock(object_.mutex_);
    waited_ = object_.coming_.contains(wanted.first);
    object_.arrived_.wait(lock, [&] { return !object_.coming_.contains(wanted.first); });
    blocks_ = {.first = wanted.first, .end = wanted.first};
    while (blocks_.end < wanted.end && !object_.coming_.contains(blocks_.end)) {
      object_.coming_.insert(blocks_.end++);
    }
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() {
    {
      const std::lock_guard lock(object_.mutex_);
      for (std::int64_t block = blocks_.first; block < blocks_.end; ++block) {
        object_.coming_.erase(block);
      }
    }
    object_.arrived_.notify_all();
  }

  const Blocks& blocks() const { return blocks_; }
  // Somebody else may just have brought the first one.
  bool waited() const { return waited_; }

 private:
  const CachedObject& object_;
  Blocks blocks_;
  bool waited_ = false;
};

CachedObject::CachedObject(std::shared_ptr<const StoredObject> object,
                           std::shared_ptr<BlockCache> cache)
    : object_(std::move(object)), cache_(std::move(cache)), key_(object_->version_hash()) {}

std::int64_t CachedObject::bytes_in(const Blocks& blocks) const {
  return std::min(blocks.end * kStoreBlock, size().value) - blocks.first * kStoreBlock;
}

bool CachedObject::read_kept(std::int64_t block,
                             std::int64_t offset,
                             std::span<std::byte> out) const {
  return cache_->read({.object = key_, .number = block}, offset - block * kStoreBlock, out);
}

Result<std::vector<std::byte>> CachedObject::fetch(const Blocks& blocks) const {
  std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_in(blocks)));
  if (const Result<Done> read = object_->read(Bytes{blocks.first * kStoreBlock}, bytes); !read) {
    return read.failure();
  }
  for (std::int64_t block = blocks.first; block < blocks.end; ++block) {
    const auto begin = static_cast<std::size_t>((block - blocks.first) * kStoreBlock);
    const std::size_t size = std::min<std::size_t>(kStoreBlock, bytes.size() - begin);
    cache_->keep({.object = key_, .number = block}, std::span(bytes).subspan(begin, size));
  }
  return bytes;
}

// How many of the bytes it read; those of the first block at least.
Result<std::int64_t> CachedObject::read_missing(std::int64_t offset,
                                                std::span<std::byte> out) const {
  const std::int64_t first = offset / kStoreBlock;
  const Claim claim(*this, {.first = first, .end = first_kept(offset, std::ssize(out))});
  const std::int64_t here =
      std::min<std::int64_t>(std::ssize(out), (first + 1) * kStoreBlock - offset);
  if (claim.waited() && read_kept(first, offset, out.first(static_cast<std::size_t>(here)))) {
    return here;
  }
  const std::int64_t covered =
      std::min<std::int64_t>(std::ssize(out), claim.blocks().end * kStoreBlock - offset);
  const std::span<std::byte> filled = out.first(static_cast<std::size_t>(covered));
  if (!cache_->reserve(bytes_in(claim.blocks()))) {
    const Result<Done> read = object_->read(Bytes{offset}, filled);
    return read ? Result<std::int64_t>(covered) : read.failure();
  }
  const Result<std::vector<std::byte>> bytes = fetch(claim.blocks());
  if (!bytes) {
    return bytes.failure();
  }
  std::copy_n(bytes.value().begin() + (offset - first * kStoreBlock), covered, filled.begin());
  return covered;
}

// The first block behind that of `offset` that is kept, or is not asked for, or is one too many.
std::int64_t CachedObject::first_kept(std::int64_t offset, std::int64_t wanted) const {
  const std::int64_t first = offset / kStoreBlock;
  const std::int64_t end = std::min((offset + wanted - 1) / kStoreBlock + 1, first + kMaxBlocks);
  std::int64_t block = first + 1;
  while (block < end && !cache_->has({.object = key_, .number = block})) {
    ++block;
  }
  return block;
}

Result<Done> CachedObject::read(Bytes offset, std::span<std::byte> out) const {
  const std::int64_t wanted = std::ssize(out);
  if (offset.value < 0 || offset > size() || wanted > (size() - offset).value) {
    return to_failure(msg::container_ends{.offset = ungrouped(offset.value)});
  }
  std::int64_t at = offset.value;
  while (!out.empty()) {
    const std::int64_t block = at / kStoreBlock;
    std::int64_t done = std::min<std::int64_t>(std::ssize(out), (block + 1) * kStoreBlock - at);
    if (!read_kept(block, at, out.first(static_cast<std::size_t>(done)))) {
      const Result<std::int64_t> read = read_missing(at, out);
      if (!read) {
        return read.failure();
      }
      done = read.value();
    }
    out = out.subspan(static_cast<std::size_t>(done));
    at += done;
  }
  return Done{};
}

}  // namespace qanat
