#include "pipeline/audio_row_source.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "audio/audio_decoder.h"
#include "dataset/data_view.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_view.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

// Tokens of about 150,000 utterances. Beyond it they are made again every epoch, which costs a few
// percent of what their mel costs.
constexpr Bytes kTokenMemory = mebibytes(64);

Failure too_long(const std::string& file,
                 const MessageArg& unit,
                 std::size_t has,
                 std::size_t room) {
  return to_failure(msg::set_refused{
      .file = file, .why = msg::row_too_long{.count = has, .unit = unit, .room = room}});
}

class AudioRowFiller final : public RowFiller {
 public:
  AudioRowFiller(const AudioRowInputs& inputs, const MelExtractor& extractor, ItemArena& tokens)
      : inputs_(inputs),
        decoder_(inputs.mel.sample_rate),
        extractor_(extractor),
        known_tokens_(tokens) {}

  Result<FilledRow> fill(std::uint32_t item, const RowView& row) override {
    const Clock::time_point start = Clock::now();
    const Result<int> tokens = put_tokens(item, row.tokens);
    if (!tokens) {
      return tokens.failure();
    }
    const Seconds tokens_time = seconds_since(start);
    Result<FilledRow> filled = put_audio(item, row);
    if (filled) {
      filled.value().tokens = tokens.value();
      filled.value().times.tokens = tokens_time;
      filled.value().speaker = inputs_.speakers.empty() ? 0 : inputs_.speakers[item];
    }
    return filled;
  }

 private:
  const Utterance& utterance(std::uint32_t item) const {
    return inputs_.set->manifest.utterances[item];
  }

  bool has_mel() const { return inputs_.payload == PayloadKind::mel_f32 || inputs_.mel_beside_pcm; }

  Result<FilledRow> put_audio(std::uint32_t item, const RowView& row) {
    const Clock::time_point start = Clock::now();
    const Result<AudioSamples> samples = decode(item);
    if (!samples) {
      return to_failure(msg::set_refused{.file = inputs_.clips->describe(utterance(item)),
                                         .why = reason_of(samples.failure())});
    }
    const std::size_t count =
        std::visit([](const auto held) { return held.size(); }, samples.value());
    if (frames_of(count) == 0) {
      return too_short(item, count);
    }
    FilledRow filled{.frames = static_cast<int>(frames_of(count))};
    if (inputs_.payload == PayloadKind::pcm_s16) {
      if (count > row.pcm.size()) {
        return too_long(inputs_.clips->describe(utterance(item)),
                        msg::row_unit_samples{},
                        count,
                        row.pcm.size());
      }
      const auto first =
          static_cast<std::size_t>(first_sample(utterance(item), inputs_.mel.sample_rate).value);
      std::ranges::copy(decoder_.last_as_pcm16().subspan(first, count), row.pcm.begin());
      filled.samples = static_cast<int>(count);
    }
    const Clock::time_point decoded = Clock::now();
    filled.times.decode = decoded - start;
    if (has_mel()) {
      if (const Result<Done> put = put_mel(item, samples.value(), row); !put) {
        return put.failure();
      }
      filled.times.mel = seconds_since(decoded);
    }
    return filled;
  }

  Result<AudioSamples> decode(std::uint32_t item) {
    const Result<AudioFile> file = inputs_.clips->open(utterance(item));
    if (!file) {
      return file.failure();
    }
    Result<AudioSamples> samples = decoder_.decode_as_held(file.value());
    if (samples && utterance(item).kept) {
      return kept_of(item, samples.value());
    }
    return samples;
  }

  // The index knows how much; a file that has changed since may hold less.
  Result<AudioSamples> kept_of(std::uint32_t item, const AudioSamples& samples) const {
    const auto first =
        static_cast<std::size_t>(first_sample(utterance(item), inputs_.mel.sample_rate).value);
    const auto count = static_cast<std::size_t>(inputs_.set->index.entries[item].samples.value);
    return std::visit(
        [&](const auto held) -> Result<AudioSamples> {
          if (first + count > held.size()) {
            return to_failure(msg::view_beyond_end{.samples = ungrouped(held.size()),
                                                   .wanted = ungrouped(first + count)});
          }
          return AudioSamples(held.subspan(first, count));
        },
        samples);
  }

  Result<Done> put_mel(std::uint32_t item, const AudioSamples& samples, const RowView& row) {
    const std::size_t frames =
        frames_of(std::visit([](const auto held) { return held.size(); }, samples));
    const auto bins = static_cast<std::size_t>(inputs_.mel.mel_bins);
    if (frames * bins > row.mel.size()) {
      return too_long(inputs_.clips->describe(utterance(item)),
                      msg::row_unit_frames{},
                      frames,
                      row.mel.size() / bins);
    }
    // 16-bit samples and floats make the same mel, to the bit.
    const std::span<float> mel = row.mel.first(frames * bins);
    std::visit([&](const auto held) { extractor_.extract(held, mel, row.mel_use); }, samples);
    return Done{};
  }

  // How many there are.
  Result<int> put_tokens(std::uint32_t item, std::span<std::int32_t> row) {
    if (const std::byte* known = known_tokens_.find(item)) {
      std::int32_t count = 0;
      std::memcpy(&count, known, sizeof(count));
      const auto* ids = reinterpret_cast<const std::int32_t*>(known) + 1;
      return copy_tokens(item, {ids, static_cast<std::size_t>(count)}, row);
    }
    const Result<TokenIds> made = inputs_.read_tokens(utterance(item));
    if (!made) {
      return to_failure(
          msg::set_refused{.file = utterance(item).id, .why = reason_of(made.failure())});
    }
    remember(item, made.value());
    return copy_tokens(item, made.value(), row);
  }

  Result<int> copy_tokens(std::uint32_t item,
                          std::span<const std::int32_t> ids,
                          std::span<std::int32_t> row) const {
    if (ids.size() > row.size()) {
      return too_long(utterance(item).id, msg::row_unit_tokens{}, ids.size(), row.size());
    }
    std::ranges::copy(ids, row.begin());
    return static_cast<int>(ids.size());
  }

  // Their number, then the tokens.
  void remember(std::uint32_t item, const TokenIds& ids) {
    const auto count = static_cast<std::int32_t>(ids.size());
    std::byte* memory = known_tokens_.reserve(sizeof(count) + ids.size() * sizeof(std::int32_t));
    if (memory == nullptr) {
      return;
    }
    std::memcpy(memory, &count, sizeof(count));
    std::memcpy(memory + sizeof(count), ids.data(), ids.size() * sizeof(std::int32_t));
    known_tokens_.keep(item, memory);
  }

  std::size_t frames_of(std::size_t samples) const {
    const SampleCount count{static_cast<std::int64_t>(samples)};
    return static_cast<std::size_t>(mel_frames(count, inputs_.mel).value);
  }

  Failure too_short(std::uint32_t item, std::size_t samples) const {
    return to_failure(
        msg::set_refused{.file = inputs_.clips->describe(utterance(item)),
                         .why = msg::row_too_short{.samples = samples, .hop = inputs_.mel.hop}});
  }

  const AudioRowInputs& inputs_;
  AudioDecoder decoder_;
  MelExtractor extractor_;
  ItemArena& known_tokens_;
};

AudioRowInputs completed(AudioRowInputs inputs) {
  if (!inputs.read_tokens) {
    inputs.read_tokens = [text = inputs.text](const Utterance& utterance) {
      return text->tokens(utterance.text, utterance.language);
    };
  }
  if (!inputs.clips) {
    inputs.clips = std::make_shared<const SetClips>(inputs.set->manifest);
  }
  return inputs;
}

}  // namespace

AudioRowSource::AudioRowSource(AudioRowInputs inputs)
    : inputs_(completed(std::move(inputs))),
      ahead_(inputs_.set->manifest.ahead ? inputs_.set->manifest.ahead->make_list() : nullptr),
      extractor_(inputs_.mel),
      known_tokens_(
          std::make_unique<ItemArena>(inputs_.set->manifest.utterances.size(), kTokenMemory)) {}

void AudioRowSource::expect(std::span<const std::uint32_t> items) {
  if (ahead_) {
    ahead_->append(places_of(inputs_.set->manifest, items));
  }
}

std::unique_ptr<RowFiller> AudioRowSource::make_filler() const {
  return std::make_unique<AudioRowFiller>(inputs_, extractor_, *known_tokens_);
}

std::string AudioRowSource::describe(std::uint32_t item) const {
  return inputs_.clips->describe(inputs_.set->manifest.utterances[item]);
}

std::vector<ItemLength> item_lengths(const DatasetIndex& index, const MelConfig& mel) {
  std::vector<ItemLength> lengths;
  lengths.reserve(index.entries.size());
  for (const IndexEntry& entry : index.entries) {
    ItemLength length;
    if (entry.usable) {
      length = {.frames = static_cast<std::uint32_t>(mel_frames(entry.samples, mel).value),
                .tokens = static_cast<std::uint32_t>(entry.tokens.value)};
    }
    lengths.push_back(length);
  }
  return lengths;
}

}  // namespace qanat
