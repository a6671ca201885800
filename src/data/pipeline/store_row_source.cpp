#include "pipeline/store_row_source.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/feature_errors.h"
#include "pipeline/precompute_audit.h"

namespace qanat {
namespace {

class StoreRowFiller final : public RowFiller {
 public:
  explicit StoreRowFiller(const StoreRowInputs& inputs) : inputs_(inputs) {}

  Result<FilledRow> fill(std::uint32_t item, const RowView& row) override {
    Result<FilledRow> stored = copy_out(item, row);
    if (stored || inputs_.fallback == nullptr) {
      return stored;
    }
    if (!fallback_) {
      fallback_ = inputs_.fallback->make_filler();
    }
    return fallback_->fill(item, row);
  }

 private:
  Result<FilledRow> copy_out(std::uint32_t item, const RowView& row) {
    const Clock::time_point start = Clock::now();
    const FeatureStore& store = *inputs_.store;
    const Utterance& utterance = inputs_.set->manifest.utterances[item];
    const FeatureKey key = feature_key(utterance, inputs_.set->index.entries[item]);
    const Result<FeatureEntry> entry = store.lookup(utterance.id, key);
    if (!entry) {
      return entry.failure();
    }
    const auto values = static_cast<std::size_t>(entry.value().frames.value) *
                        static_cast<std::size_t>(inputs_.mel_bins);
    const auto tokens = static_cast<std::size_t>(entry.value().tokens.value);
    if (values > row.mel.size() || tokens > row.tokens.size()) {
      return to_failure(msg::set_refused{
          .file = utterance.id,
          .why = msg::row_stored_too_long{.frames = entry.value().frames.value, .tokens = tokens}});
    }
    const Result<Done> read =
        store.read(entry.value(),
                   {.mel = row.mel.first(values), .tokens = row.tokens.first(tokens)},
                   scratch_);
    if (!read) {
      journal_damage(utterance.id, read.failure());
      return read.failure();
    }
    return FilledRow{.frames = static_cast<int>(entry.value().frames.value),
                     .tokens = static_cast<int>(tokens),
                     .speaker = inputs_.speakers.empty() ? 0 : inputs_.speakers[item],
                     .origin = RowOrigin::store,
                     .times = {.copy = seconds_since(start)}};
  }

  // Once per entry: the store does not hand it out again.
  void journal_damage(const std::string& id, const Failure& why) const {
    if (inputs_.journal != nullptr) {
      inputs_.journal->record(DamagedFeatures{.id = id, .reason = why.what});
    }
  }

  const StoreRowInputs& inputs_;
  PageBuffer scratch_;
  std::unique_ptr<RowFiller> fallback_;  // made when first needed
};

}  // namespace

void StoreRowSource::expect(std::span<const std::uint32_t> items) {
  if (inputs_.fallback == nullptr) {
    return;
  }
  std::vector<std::uint32_t> missing;
  std::ranges::copy_if(items, std::back_inserter(missing), [this](std::uint32_t item) {
    const Utterance& utterance = inputs_.set->manifest.utterances[item];
    const FeatureKey key = feature_key(utterance, inputs_.set->index.entries[item]);
    return !inputs_.store->lookup(utterance.id, key);
  });
  inputs_.fallback->expect(missing);
}

std::unique_ptr<RowFiller> StoreRowSource::make_filler() const {
  return std::make_unique<StoreRowFiller>(inputs_);
}

std::string StoreRowSource::describe(std::uint32_t item) const {
  return audio_path(inputs_.set->manifest, inputs_.set->manifest.utterances[item]).string();
}

}  // namespace qanat
