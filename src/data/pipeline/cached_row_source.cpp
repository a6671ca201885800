#include "pipeline/cached_row_source.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

// In front of the payload and the tokens of a kept row.
struct alignas(64) KeptHeader {
  std::int32_t frames = 0;
  std::int32_t samples = 0;
  std::int32_t tokens = 0;
  std::int32_t speaker = 0;
};

// What a row takes in memory, by part; in this order, behind the header.
struct KeptParts {
  std::size_t pcm = 0;  // bytes, like the others
  std::size_t mel = 0;
  std::size_t tokens = 0;

  std::size_t all() const { return sizeof(KeptHeader) + pcm + mel + tokens; }
};

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
  KeptParts parts(const KeptHeader& header) const {
    const bool has_pcm = format_.kind == PayloadKind::pcm_s16;
    const bool has_mel = !has_pcm || format_.mel_beside_pcm;
    const auto count = [](std::int32_t number) { return static_cast<std::size_t>(number); };
    return {.pcm = has_pcm ? count(header.samples) * sizeof(std::int16_t) : 0,
            .mel = has_mel ? count(header.frames) * count(format_.mel_bins) * sizeof(float) : 0,
            .tokens = count(header.tokens) * sizeof(std::int32_t)};
  }

  Result<FilledRow> copy_out(std::uint32_t item, const std::byte* kept, const RowView& row) const {
    const Clock::time_point start = Clock::now();
    KeptHeader header;
    std::memcpy(&header, kept, sizeof(header));
    const KeptParts size = parts(header);
    if (size.pcm > row.pcm.size_bytes() || size.mel > row.mel.size_bytes() ||
        size.tokens > row.tokens.size_bytes()) {
      return to_failure(
          msg::row_kept_too_long{.item = item, .frames = header.frames, .tokens = header.tokens});
    }
    auto take = [from = kept + sizeof(header)](void* to, std::size_t bytes) mutable {
      if (bytes > 0) {
        std::memcpy(to, from, bytes);
        from += bytes;
      }
    };
    take(row.pcm.data(), size.pcm);
    take(row.mel.data(), size.mel);
    take(row.tokens.data(), size.tokens);
    return FilledRow{.frames = header.frames,
                     .samples = header.samples,
                     .tokens = header.tokens,
                     .speaker = header.speaker,
                     .origin = RowOrigin::cache,
                     .times = {.copy = seconds_since(start)}};
  }

  void keep(std::uint32_t item, const FilledRow& filled, const RowView& row) {
    const KeptHeader header{.frames = filled.frames,
                            .samples = filled.samples,
                            .tokens = filled.tokens,
                            .speaker = filled.speaker};
    const KeptParts size = parts(header);
    std::byte* memory = arena_.reserve(size.all());
    if (memory == nullptr) {
      return;
    }
    auto put = [to = memory](const void* from, std::size_t bytes) mutable {
      if (bytes > 0) {
        std::memcpy(to, from, bytes);
        to += bytes;
      }
    };
    put(&header, sizeof(header));
    put(row.pcm.data(), size.pcm);
    put(row.mel.data(), size.mel);
    put(row.tokens.data(), size.tokens);
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

void CachedRowSource::expect(std::span<const std::uint32_t> items) {
  std::vector<std::uint32_t> missing;
  std::ranges::copy_if(items, std::back_inserter(missing), [this](std::uint32_t item) {
    return arena_->find(item) == nullptr;
  });
  inner_->expect(missing);
}

std::unique_ptr<RowFiller> CachedRowSource::make_filler() const {
  return std::make_unique<CachedRowFiller>(inner_->make_filler(), format_, *arena_);
}

}  // namespace qanat
