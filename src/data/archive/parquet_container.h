// Clips in the cells of a column of a Parquet file. A page is unpacked when one of its clips is
// asked for, and kept for a while: neighbours are often asked for together.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "archive/parquet_file.h"
#include "archive/stored_clip.h"

namespace qanat {

// Pages that were unpacked last. Thread-safe.
class PageCache {
 public:
  explicit PageCache(Bytes budget) : budget_(budget) {}

  using Key = std::pair<const void*, std::size_t>;  // the container, and which of its pages

  // Null: it is not there.
  std::shared_ptr<const PageCells> find(const Key& key);
  void keep(const Key& key, std::shared_ptr<const PageCells> page);

 private:
  const Bytes budget_;
  std::mutex mutex_;                                                   // guards all below
  std::list<std::pair<Key, std::shared_ptr<const PageCells>>> pages_;  // used last first
  std::int64_t bytes_ = 0;
};

class ParquetContainer final : public ClipContainer {
 public:
  // `pages` are those of the column; `cache` is shared by the containers of a set.
  ParquetContainer(OpenVersion open_file,
                   FileIdentity identity,
                   ParquetColumn column,
                   std::vector<ParquetPage> pages,
                   std::shared_ptr<PageCache> cache);

  // By ClipPlace::row.
  Result<StoredClip> open(const ClipPlace& place) const override;
  Result<FileIdentity> identity(const ClipPlace& place) const override;

 private:
  Result<std::shared_ptr<const PageCells>> page(std::size_t number) const;

  const OpenVersion open_file_;
  const FileIdentity identity_;
  const ParquetColumn column_;
  const std::vector<ParquetPage> pages_;
  const std::shared_ptr<PageCache> cache_;
};

}  // namespace qanat
