// Rows kept in memory: the first epoch fills it, later ones copy out of it.
//
// Wraps any other source. As much as fits the budget is kept, first come first kept, and stays
// (item_arena.h). A row from memory is bit for bit the row that was kept.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/quantity.h"
#include "batch/batch.h"
#include "pipeline/item_arena.h"
#include "pipeline/row_source.h"

namespace qanat {

class CachedRowSource final : public RowSource {
 public:
  CachedRowSource(std::unique_ptr<RowSource> inner,
                  std::size_t num_items,
                  const PayloadFormat& format,
                  Bytes budget);

  std::unique_ptr<RowFiller> make_filler() const override;
  std::string describe(std::uint32_t item) const override { return inner_->describe(item); }
  void expect(std::span<const std::uint32_t> items) override;

  Bytes bytes() const { return arena_->bytes(); }

 private:
  const std::unique_ptr<RowSource> inner_;
  const PayloadFormat format_;
  const std::unique_ptr<ItemArena> arena_;  // fillers write to it through the const source
};

}  // namespace qanat
