#include "pipeline/cached_row_source.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace qanat {
namespace {

// In front of the payload and the tokens of a kept row.
struct alignas(64) KeptHeader {
  std::int32_t frames = 0;
  std::int32_t samples = 0;
  std::int32_t tokens = 0;
  std::int32_t speaker = 0;
};

// The payload of a row as bytes, whichever kind it is.
std::span<std::byte> payload_of(const RowView& row) {
  return row.pcm.empty() ? std::as_writable_bytes(row.mel) : std::as_writable_bytes(row.pcm);
}

class CachedRowFiller final : public RowFiller {
 public:
  CachedRowFiller(std::unique_ptr<RowFiller> inner, const PayloadFormat& format, ItemArena& arena)
      : inner_(std::move(inner)), format_(format), arena_(arena) {}

  Result<FilledRow> fill(std::uint32_t item, const RowView& row) override {
    if (const std::byte* kept = arena_.find(item)) {
      return copy_out(item, kept, row);
    }
    RowView kept_too = row;
    kept_too.mel_use = MelUse::soon;
    Result<FilledRow> filled = inner_->fill(item, kept_too);
    if (filled) {
      const Clock::time_point start = Clock::now();
      keep(item, filled.value(), row);
      filled.value().times.copy += seconds_since(start);
    }
    return filled;
  }

 private:
  std::size_t payload_bytes(int frames, int samples) const {
    return format_.kind == PayloadKind::mel_f32
               ? static_cast<std::size_t>(frames) * static_cast<std::size_t>(format_.mel_bins) *
                     sizeof(float)
               : static_cast<std::size_t>(samples) * sizeof(std::int16_t);
  }

  Result<FilledRow> copy_out(std::uint32_t item, const std::byte* kept, const RowView& row) const {
    const Clock::time_point start = Clock::now();
    KeptHeader header;
    std::memcpy(&header, kept, sizeof(header));
    const std::size_t payload = payload_bytes(header.frames, header.samples);
    const auto tokens = static_cast<std::size_t>(header.tokens) * sizeof(std::int32_t);
    if (payload > payload_of(row).size() || tokens > row.tokens.size_bytes()) {
      return Failure{
          fmt::format("item {}: {} frames and {} tokens; expected no more than its index says; try "
                      "again after the data set stopped changing",
                      item,
                      header.frames,
                      header.tokens)};
    }
    std::memcpy(payload_of(row).data(), kept + sizeof(header), payload);
    std::memcpy(row.tokens.data(), kept + sizeof(header) + payload, tokens);
    return FilledRow{.frames = header.frames,
                     .samples = header.samples,
                     .tokens = header.tokens,
                     .speaker = header.speaker,
                     .origin = RowOrigin::cache,
                     .times = {.copy = seconds_since(start)}};
  }

  void keep(std::uint32_t item, const FilledRow& filled, const RowView& row) {
    const std::size_t payload = payload_bytes(filled.frames, filled.samples);
    const auto tokens = static_cast<std::size_t>(filled.tokens) * sizeof(std::int32_t);
    std::byte* memory = arena_.reserve(sizeof(KeptHeader) + payload + tokens);
    if (memory == nullptr) {
      return;
    }
    const KeptHeader header{.frames = filled.frames,
                            .samples = filled.samples,
                            .tokens = filled.tokens,
                            .speaker = filled.speaker};
    std::memcpy(memory, &header, sizeof(header));
    std::memcpy(memory + sizeof(header), payload_of(row).data(), payload);
    std::memcpy(memory + sizeof(header) + payload, row.tokens.data(), tokens);
    arena_.keep(item, memory);
  }

  const std::unique_ptr<RowFiller> inner_;
  const PayloadFormat format_;
  ItemArena& arena_;
};

}  // namespace

CachedRowSource::CachedRowSource(std::unique_ptr<RowSource> inner,
                                 std::size_t num_items,
                                 const PayloadFormat& format,
                                 Bytes budget)
    : inner_(std::move(inner)),
      format_(format),
      arena_(std::make_unique<ItemArena>(num_items, budget)) {}

std::unique_ptr<RowFiller> CachedRowSource::make_filler() const {
  return std::make_unique<CachedRowFiller>(inner_->make_filler(), format_, *arena_);
}

}  // namespace qanat
