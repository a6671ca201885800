// A row source for tests: rows whose every value follows from the item number, and switches for
// what may go wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "batch/batch.h"
#include "batch/random.h"
#include "batch/sample_lengths.h"
#include "pipeline/loader.h"
#include "pipeline/row_source.h"

namespace qanat {

struct FakeRows {
  std::vector<ItemLength> lengths;
  int mel_bins = 80;
  std::function<bool(std::uint32_t)> is_bad = [](std::uint32_t) { return false; };
  std::function<void(std::uint32_t)> before_fill = [](std::uint32_t) {};
};

class FakeRowSource final : public RowSource {
 public:
  explicit FakeRowSource(FakeRows rows) : rows_(std::move(rows)) {}

  std::unique_ptr<RowFiller> make_filler() const override {
    return std::make_unique<Filler>(rows_);
  }
  std::string describe(std::uint32_t item) const override { return fmt::format("{}.wav", item); }

 private:
  class Filler final : public RowFiller {
   public:
    explicit Filler(const FakeRows& rows) : rows_(rows) {}

    Result<FilledRow> fill(std::uint32_t item, const RowView& row) override {
      rows_.before_fill(item);
      if (rows_.is_bad(item)) {
        return Failure{fmt::format("{}.wav: damaged", item)};
      }
      const ItemLength length = rows_.lengths[item];
      FilledRow filled{.frames = static_cast<int>(length.frames),
                       .tokens = static_cast<int>(length.tokens),
                       .speaker = static_cast<int>(item % 7)};
      const auto first = static_cast<float>(item);
      for (std::size_t i = 0; i < length.frames * static_cast<std::size_t>(rows_.mel_bins); ++i) {
        row.mel[i] = first + static_cast<float>(i % 1009) / 1024.0F;
      }
      for (std::size_t i = 0; i < length.tokens; ++i) {
        row.tokens[i] = static_cast<std::int32_t>(item + i + 1);
      }
      return filled;
    }

   private:
    const FakeRows& rows_;
  };

  const FakeRows rows_;
};

inline LoaderInputs fake_inputs(FakeRows rows, EventSink* journal = nullptr) {
  LoaderInputs inputs{.lengths = rows.lengths, .journal = journal};
  inputs.source = std::make_unique<FakeRowSource>(std::move(rows));
  return inputs;
}

// Every byte that a batch promises, and which batch it is.
inline std::uint64_t digest(const Batch& batch) {
  std::uint64_t hash = mix_bits(static_cast<std::uint64_t>(batch.id().epoch * 1'000'003)) ^
                       static_cast<std::uint64_t>(batch.id().index);
  const auto add = [&hash](auto span) {
    for (const std::byte byte : std::as_bytes(span)) {
      hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001B3U;
    }
    hash = mix_bits(hash + span.size());
  };
  add(batch.mel());
  add(batch.pcm());
  add(batch.tokens());
  add(batch.mel_lengths());
  add(batch.sample_lengths());
  add(batch.token_lengths());
  add(batch.speakers());
  add(batch.items());
  return hash;
}

inline std::vector<std::uint64_t> digests(Loader& loader) {
  std::vector<std::uint64_t> all;
  while (const auto batch = loader.next()) {
    all.push_back(digest(*batch));
  }
  return all;
}

}  // namespace qanat
