#include "archive/parquet_container.h"

#include <algorithm>

#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

std::int64_t size_of(const PageCells& page) {
  return static_cast<std::int64_t>(page.bytes->size() +
                                   page.cells.size() * sizeof(page.cells.front()));
}

}  // namespace

std::shared_ptr<const PageCells> PageCache::find(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(pages_, key, [](const auto& page) -> const Key& { return page.first; });
  if (found == pages_.end()) {
    return nullptr;
  }
  pages_.splice(pages_.begin(), pages_, found);
  return pages_.front().second;
}

void PageCache::keep(const Key& key, std::shared_ptr<const PageCells> page) {
  const std::lock_guard lock(mutex_);
  bytes_ += size_of(*page);
  pages_.emplace_front(key, std::move(page));
  while (bytes_ > budget_.value && pages_.size() > 1) {
    bytes_ -= size_of(*pages_.back().second);
    pages_.pop_back();
  }
}

ParquetContainer::ParquetContainer(OpenVersion open_file,
                                   FileIdentity identity,
                                   ParquetColumn column,
                                   std::vector<ParquetPage> pages,
                                   std::shared_ptr<PageCache> cache)
    : open_file_(std::move(open_file)),
      identity_(identity),
      column_(std::move(column)),
      pages_(std::move(pages)),
      cache_(std::move(cache)) {}

Result<std::shared_ptr<const PageCells>> ParquetContainer::page(std::size_t number) const {
  const PageCache::Key key{this, number};
  if (std::shared_ptr<const PageCells> known = cache_->find(key)) {
    return known;
  }
  std::shared_ptr<const PageCells> dictionary;
  if (pages_[number].dictionary) {
    Result<std::shared_ptr<const PageCells>> read = page(*pages_[number].dictionary);
    if (!read) {
      return read;
    }
    dictionary = std::move(read).value();
  }
  const Result<std::shared_ptr<const RandomAccess>> file = open_file_();
  if (!file) {
    return file.failure();
  }
  Result<PageCells> read =
      read_bytes_page(*file.value(), column_, pages_[number], dictionary.get());
  if (!read) {
    return read.failure();
  }
  auto cells = std::make_shared<const PageCells>(std::move(read).value());
  cache_->keep(key, cells);
  return std::shared_ptr<const PageCells>(std::move(cells));
}

Result<StoredClip> ParquetContainer::open(const ClipPlace& place) const {
  // The last page that begins at the row or before; dictionaries begin where their data does.
  const auto after = std::ranges::upper_bound(
      pages_, static_cast<std::int64_t>(place.row), {}, &ParquetPage::first_row);
  if (after == pages_.begin()) {
    return to_failure(msg::parquet_damaged{});
  }
  const auto number = static_cast<std::size_t>(after - pages_.begin()) - 1;
  const Result<std::shared_ptr<const PageCells>> cells = page(number);
  if (!cells) {
    return cells.failure();
  }
  const auto row = static_cast<std::size_t>(place.row - pages_[number].first_row);
  if (row >= cells.value()->cells.size() || !cells.value()->cells[row]) {
    return to_failure(msg::parquet_no_bytes{});
  }
  const CellRange range = *cells.value()->cells[row];
  return StoredClip{.size = Bytes{range.size},
                    .memory = std::span(*cells.value()->bytes).subspan(range.offset, range.size),
                    .page = cells.value()->bytes};
}

Result<FileIdentity> ParquetContainer::identity(const ClipPlace& place) const {
  return identity_in(identity_, place);
}

}  // namespace qanat
