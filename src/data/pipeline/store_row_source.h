// Rows copied out of precomputed shards; what is not fresh there comes from another source.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dataset/training_sets.h"
#include "features/feature_store.h"
#include "metrics/journal.h"
#include "pipeline/row_source.h"

namespace qanat {

struct StoreRowInputs {
  std::shared_ptr<const UtteranceSet> set;    // shared by the sources of a loader and its owner
  std::shared_ptr<const FeatureStore> store;  // shared by the loaders of a run
  std::vector<int> speakers{};                // one per utterance; empty: all 0
  int mel_bins = 80;
  // For what the store does not have fresh. Absent: that is a Failure (preprocessing_mode
  // precompute).
  std::unique_ptr<RowSource> fallback{};
  // Gets a line of kind "damaged_features" for every entry that is found damaged. Not owned,
  // outlives the source; may be absent.
  EventSink* journal = nullptr;
};

class StoreRowSource final : public RowSource {
 public:
  explicit StoreRowSource(StoreRowInputs inputs) : inputs_(std::move(inputs)) {}

  std::unique_ptr<RowFiller> make_filler() const override;
  std::string describe(std::uint32_t item) const override;
  void expect(std::span<const std::uint32_t> items) override;

 private:
  const StoreRowInputs inputs_;
};

}  // namespace qanat
