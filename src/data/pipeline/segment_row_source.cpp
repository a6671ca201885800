#include "pipeline/segment_row_source.h"

#include <algorithm>

#include "audio/audio_decoder.h"
#include "batch/random.h"
#include "dataset/data_view.h"
#include "pipeline/clip_source.h"

namespace qanat {
namespace {

// Tells this use of the seed from others: plans, weights, references.
constexpr std::uint64_t kPurpose = 0x73656720'6d656e74;

class SegmentRowFiller final : public RowFiller {
 public:
  explicit SegmentRowFiller(const SegmentRowInputs& inputs)
      : inputs_(inputs), decoder_(inputs.mel.sample_rate) {}

  Result<FilledRow> fill(std::uint32_t item, const RowView& row) override {
    const Clock::time_point start = Clock::now();
    const SampleCount all = inputs_.set->index.entries[item].samples;
    const SampleCount wanted{std::int64_t{inputs_.segment.frames} * inputs_.mel.hop};
    const Manifest& manifest = inputs_.set->manifest;
    const std::int64_t begin = segment_start(inputs_.segment, row.epoch, item, all, wanted);
    const SampleCount kept = first_sample(manifest.utterances[item], inputs_.mel.sample_rate);
    const SampleRange range{.first = SampleCount{kept.value + begin},
                            .count = std::min(all, wanted)};
    const Result<AudioFile> file = open_clip(manifest, manifest.utterances[item]);
    if (!file) {
      return file.failure();
    }
    const auto samples = decoder_.decode_pcm16(file.value(), range);
    if (!samples) {
      return samples.failure();
    }
    const std::span<std::int16_t> out = row.pcm.first(static_cast<std::size_t>(wanted.value));
    const auto end = std::ranges::copy(samples.value(), out.begin()).out;
    std::fill(end, out.end(), std::int16_t{0});
    row.tokens.front() = 0;
    RowTimes times{.decode = seconds_since(start)};
    if (inputs_.predicted != nullptr) {
      if (const Result<Done> copied = copy_mel(item, SampleCount{begin}, row); !copied) {
        return copied.failure();
      }
      times.copy = seconds_since(start) - times.decode;
    }
    return FilledRow{.frames = inputs_.segment.frames,
                     .samples = static_cast<int>(wanted.value),
                     .tokens = 1,
                     .speaker = inputs_.speakers.empty() ? 0 : inputs_.speakers[item],
                     .times = times};
  }

 private:
  // The predicted frames of the part that begins at sample `first`.
  Result<Done> copy_mel(std::uint32_t item, SampleCount first, const RowView& row) {
    const auto values = static_cast<std::size_t>(inputs_.segment.frames) *
                        static_cast<std::size_t>(inputs_.mel.mel_bins);
    return inputs_.predicted->read(
        item, FrameCount{first.value / inputs_.mel.hop}, row.mel.first(values), scratch_);
  }

  const SegmentRowInputs& inputs_;
  AudioDecoder decoder_;
  PredictedMel::Scratch scratch_;
};

}  // namespace

std::int64_t segment_start(const SegmentOptions& options,
                           std::int64_t epoch,
                           std::uint32_t item,
                           SampleCount samples,
                           SampleCount length) {
  if (samples <= length) {
    return 0;
  }
  Random random{kPurpose, options.seed, static_cast<std::uint64_t>(epoch), item};
  const auto places = static_cast<std::uint32_t>(
      std::min<std::int64_t>((samples.value - length.value) / options.step + 1, UINT32_MAX));
  return std::int64_t{random.below(places)} * options.step;
}

SegmentRowSource::SegmentRowSource(SegmentRowInputs inputs)
    : inputs_(std::move(inputs)),
      ahead_(inputs_.set->manifest.ahead ? inputs_.set->manifest.ahead->make_list() : nullptr) {}

void SegmentRowSource::expect(std::span<const std::uint32_t> items) {
  if (ahead_) {
    ahead_->append(places_of(inputs_.set->manifest, items));
  }
}

std::unique_ptr<RowFiller> SegmentRowSource::make_filler() const {
  return std::make_unique<SegmentRowFiller>(inputs_);
}

std::string SegmentRowSource::describe(std::uint32_t item) const {
  return audio_path(inputs_.set->manifest, inputs_.set->manifest.utterances[item]).string();
}

std::vector<ItemLength> segment_lengths(const DatasetIndex& index, const SegmentOptions& options) {
  std::vector<ItemLength> lengths;
  lengths.reserve(index.entries.size());
  for (const IndexEntry& entry : index.entries) {
    lengths.push_back(
        entry.usable ? ItemLength{.frames = static_cast<std::uint32_t>(options.frames), .tokens = 1}
                     : ItemLength{});
  }
  return lengths;
}

}  // namespace qanat
