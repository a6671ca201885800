#include "audio/audio_decoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <soxr.h>

#include "audio/audio_header.h"
#include "audio/sample_format.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"
#include "locale/messages/data_set_errors.h"

namespace qanat {
namespace {

constexpr std::size_t kDrain = 4096;

// Most utterances are read whole by the first read.
constexpr std::int64_t kFirstRead = 2 << 20;
// Buffers that one very long file has grown are not kept for the short ones after it.
constexpr std::size_t kKeepSamples = 4 << 20;

constexpr std::size_t kHeaderRead = 4096;  // as open_audio_source() wants it
// Frames on either side that a resampled one depends on, to the last bit but one, for each that the
// rate is higher than the target's: twice the filter of soxr's HQ at 44.1 to 22.05 kHz.
constexpr std::int64_t kFilterFrames = 512;

bool is_plain(const WavLayout& layout, SampleRate target) {
  return layout.format == SampleFormat::pcm_s16 && layout.channels == 1 && layout.rate == target;
}

void bound(std::vector<float>& samples) {
  for (float& sample : samples) {
    sample = std::min(std::max(sample, -1.0F), 1.0F);
  }
}

Failure too_short(SampleCount has, const SampleRange& range) {
  return to_failure(msg::audio_truncated{.stated = ungrouped(range.first.value + range.count.value),
                                         .held = ungrouped(has.value)});
}

Failure about(const std::filesystem::path& path, const Failure& failure) {
  return to_failure(msg::set_refused{.file = path.string(), .why = reason_of(failure)});
}

}  // namespace

void Resampler::Delete::operator()(::soxr* engine) const {
  soxr_delete(engine);
}

Resampler::Resampler(SampleRate from, SampleRate to) : from_(from), to_(to) {
  soxr_error_t problem = nullptr;
  const soxr_io_spec_t samples = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  const soxr_runtime_spec_t one_thread = soxr_runtime_spec(1);
  engine_.reset(soxr_create(static_cast<double>(from.value),
                            static_cast<double>(to.value),
                            1,
                            &problem,
                            &samples,
                            &quality,
                            &one_thread));
  if (problem != nullptr) {
    throw MessageError(
        msg::audio_not_resampled{.from = from.value, .to = to.value, .reason = problem});
  }
}

void Resampler::push(std::span<const float> input, std::vector<float>& output) {
  const double ratio = static_cast<double>(to_.value) / static_cast<double>(from_.value);
  while (!input.empty()) {
    const double expected = std::ceil(static_cast<double>(input.size()) * ratio);
    const Progress progress = run(input, static_cast<std::size_t>(expected) + kDrain, output);
    input = input.subspan(progress.taken);
  }
}

void Resampler::finish(std::vector<float>& output) {
  while (run({}, kDrain, output).written == kDrain) {
  }
}

Resampler::Progress Resampler::run(std::span<const float> input,
                                   std::size_t room,
                                   std::vector<float>& output) {
  const std::size_t before = output.size();
  output.resize(before + room);
  Progress progress;
  const soxr_error_t problem = soxr_process(engine_.get(),
                                            input.data(),
                                            input.size(),
                                            &progress.taken,
                                            output.data() + before,
                                            room,
                                            &progress.written);
  if (problem != nullptr) {
    throw MessageError(
        msg::audio_not_resampled{.from = from_.value, .to = to_.value, .reason = problem});
  }
  output.resize(before + progress.written);
  return progress;
}

Result<std::span<const float>> AudioDecoder::decode(const std::filesystem::path& path) {
  const Result<AudioFile> file = open_audio_file(path);
  Result<std::span<const float>> samples =
      file ? decode(file.value()) : Result<std::span<const float>>(file.failure());
  return samples ? samples : about(path, samples.failure());
}

Result<std::span<const float>> AudioDecoder::decode(const AudioFile& file) {
  const Result<Held> held = load(file);
  if (!held) {
    return held.failure();
  }
  if (held.value() == Held::floats) {
    return std::span<const float>(floats_);
  }
  if (floats_.size() < pcm_.size()) {
    floats_.resize(pcm_.size());
  }
  const std::span<float> out = std::span(floats_).first(pcm_.size());
  to_float(pcm_, out);
  return std::span<const float>(out);
}

Result<std::span<const std::int16_t>> AudioDecoder::decode_pcm16(
    const std::filesystem::path& path) {
  return as_pcm16(path, load(path));
}

Result<std::span<const std::int16_t>> AudioDecoder::decode_pcm16(const std::filesystem::path& path,
                                                                 const SampleRange& range) {
  const Result<AudioFile> file = open_audio_file(path);
  return as_pcm16(path, file ? load_range(file.value(), range) : Result<Held>(file.failure()));
}

Result<std::span<const std::int16_t>> AudioDecoder::decode_pcm16(const AudioFile& file,
                                                                 const SampleRange& range) {
  const Result<Held> held = load_range(file, range);
  if (!held) {
    return held.failure();
  }
  last_ = held.value();
  return last_as_pcm16();
}

Result<std::span<const std::int16_t>> AudioDecoder::as_pcm16(const std::filesystem::path& path,
                                                             const Result<Held>& held) {
  if (!held) {
    return about(path, held.failure());
  }
  last_ = held.value();
  return last_as_pcm16();
}

std::span<const std::int16_t> AudioDecoder::last_as_pcm16() {
  if (last_ == Held::pcm) {
    return pcm_;
  }
  rounded_.resize(floats_.size());
  to_pcm16(floats_, rounded_);
  return rounded_;
}

Result<AudioSamples> AudioDecoder::decode_as_held(const std::filesystem::path& path) {
  const Result<AudioFile> file = open_audio_file(path);
  if (!file) {
    return about(path, file.failure());
  }
  Result<AudioSamples> samples = decode_as_held(file.value());
  return samples ? samples : about(path, samples.failure());
}

Result<AudioSamples> AudioDecoder::decode_as_held(const AudioFile& file) {
  const Result<Held> held = load(file);
  if (!held) {
    return held.failure();
  }
  last_ = held.value();
  return held.value() == Held::pcm ? AudioSamples(pcm_)
                                   : AudioSamples(std::span<const float>(floats_));
}

Result<AudioDecoder::Held> AudioDecoder::load(const std::filesystem::path& path) {
  const Result<AudioFile> file = open_audio_file(path);
  if (!file) {
    return file.failure();
  }
  return load(file.value());
}

Result<AudioDecoder::Held> AudioDecoder::load(const AudioFile& file) {
  release_large_buffers();
  const std::int64_t first = std::min(file.size.value, kFirstRead);
  const std::span<std::byte> room = bytes_.room(static_cast<std::size_t>(first));
  const Result<std::size_t> got = read_at(file, Bytes{0}, room);
  if (!got) {
    return got.failure();
  }
  const std::span<const std::byte> prefix = room.first(got.value());
  if (is_wav(prefix)) {
    const Result<std::optional<WavLayout>> layout = read_wav_layout(file, prefix);
    if (!layout) {
      return layout.failure();
    }
    if (layout.value() && is_plain(*layout.value(), target_)) {
      return load_plain(file, *layout.value(), got.value());
    }
  }
  const Result<AudioSourcePtr> source = open_audio_source(file, prefix);
  if (!source) {
    return source.failure();
  }
  return load_any(*source.value());
}

Result<AudioDecoder::Held> AudioDecoder::load_plain(const AudioFile& file,
                                                    const WavLayout& layout,
                                                    std::size_t already_read) {
  const auto samples = static_cast<std::size_t>(layout.samples.value);
  const std::size_t end =
      static_cast<std::size_t>(layout.data_offset) + samples * sizeof(std::int16_t);
  const std::span<std::byte> room = bytes_.room(end);
  if (end > already_read) {
    const Result<std::size_t> got = read_at(file, Bytes{0}, room);
    if (!got) {
      return got.failure();
    }
    if (got.value() < end) {
      return to_failure(msg::audio_cut_while_read{});
    }
  }
  const std::byte* begin = room.data() + layout.data_offset;
  pcm_ = {reinterpret_cast<const std::int16_t*>(begin), samples};
  return Held::pcm;
}

Result<AudioDecoder::Held> AudioDecoder::load_any(AudioSource& source) {
  const AudioHeader& header = source.header();
  const SampleCount length = resampled_length(header.samples, header.rate, target_);
  if (length.value == 0) {
    return to_failure(msg::audio_too_short{.samples = ungrouped(header.samples.value),
                                           .rate = ungrouped(header.rate.value)});
  }
  std::optional<Resampler> resampler;
  if (header.rate != target_) {
    resampler.emplace(header.rate, target_);
  }
  floats_.clear();
  const Result<Done> read =
      read_promised(source, interleaved_, [&](std::span<const float> interleaved) {
        return append(interleaved, header.channels, resampler);
      });
  if (!read) {
    return read.failure();
  }
  if (resampler) {
    resampler->finish(floats_);
  }
  floats_.resize(static_cast<std::size_t>(length.value));
  bound(floats_);
  return Held::floats;
}

Result<AudioDecoder::Held> AudioDecoder::load_range(const AudioFile& file,
                                                    const SampleRange& range) {
  release_large_buffers();
  std::array<std::byte, kHeaderRead> beginning;
  const Result<std::size_t> got = read_at(file, Bytes{0}, beginning);
  if (!got) {
    return got.failure();
  }
  const std::span<const std::byte> prefix = std::span(beginning).first(got.value());
  if (is_wav(prefix)) {
    const Result<std::optional<WavLayout>> layout = read_wav_layout(file, prefix);
    if (!layout) {
      return layout.failure();
    }
    if (layout.value() && is_plain(*layout.value(), target_)) {
      return load_plain_range(file, *layout.value(), range);
    }
  }
  const Result<AudioSourcePtr> source = open_audio_source(file, prefix);
  if (!source) {
    return source.failure();
  }
  return load_any_range(*source.value(), range);
}

Result<AudioDecoder::Held> AudioDecoder::load_plain_range(const AudioFile& file,
                                                          const WavLayout& layout,
                                                          const SampleRange& range) {
  if (range.first.value + range.count.value > layout.samples.value) {
    return too_short(layout.samples, range);
  }
  const std::span<std::byte> room =
      bytes_.room(static_cast<std::size_t>(range.count.value) * sizeof(std::int16_t));
  const Bytes begin{layout.data_offset +
                    range.first.value * static_cast<std::int64_t>(sizeof(std::int16_t))};
  const Result<std::size_t> got = read_at(file, begin, room);
  if (!got) {
    return got.failure();
  }
  if (got.value() < room.size()) {
    return to_failure(msg::audio_cut_while_read{});
  }
  pcm_ = {reinterpret_cast<const std::int16_t*>(room.data()),
          static_cast<std::size_t>(range.count.value)};
  return Held::pcm;
}

// A resampler starts where samples of both rates coincide, and early enough for its filter to see
// what it sees of the whole file.
Result<AudioDecoder::Held> AudioDecoder::load_any_range(AudioSource& source,
                                                        const SampleRange& range) {
  const AudioHeader& header = source.header();
  const SampleCount length = resampled_length(header.samples, header.rate, target_);
  if (range.first.value + range.count.value > length.value) {
    return too_short(length, range);
  }
  const std::int64_t common = std::gcd(header.rate.value, target_.value);
  const std::int64_t from_unit = header.rate.value / common;
  const std::int64_t to_unit = target_.value / common;
  std::optional<Resampler> resampler;
  std::int64_t around = 0;
  if (header.rate != target_) {
    resampler.emplace(header.rate, target_);
    around = kFilterFrames * std::max<std::int64_t>(1, header.rate.value / target_.value);
  }
  const std::int64_t unit =
      std::max<std::int64_t>(0, range.first.value * from_unit / to_unit - around) / from_unit;
  const std::int64_t end = (range.first.value + range.count.value) * from_unit / to_unit + 1;
  const std::int64_t begin = resampler ? unit * from_unit : range.first.value;
  const std::int64_t last = resampler ? std::min(header.samples.value, end + around)
                                      : range.first.value + range.count.value;
  Result<Done> done = source.seek(SampleCount{begin});
  floats_.clear();
  if (done) {
    done = append_frames(source, SampleCount{last - begin}, resampler);
  }
  if (!done) {
    return done.failure();
  }
  const std::int64_t skip = resampler ? range.first.value - unit * to_unit : 0;
  floats_.resize(static_cast<std::size_t>(skip + range.count.value));
  floats_.erase(floats_.begin(), floats_.begin() + skip);
  bound(floats_);
  return Held::floats;
}

Result<Done> AudioDecoder::append_frames(AudioSource& source,
                                         SampleCount frames,
                                         std::optional<Resampler>& resampler) {
  constexpr std::size_t kChunk = 16384;
  const int channels = source.header().channels;
  interleaved_.resize(kChunk);
  for (auto left = static_cast<std::size_t>(frames.value); left > 0;) {
    const std::size_t wanted = std::min(kChunk / static_cast<std::size_t>(channels), left);
    const std::span<float> room =
        std::span(interleaved_).first(wanted * static_cast<std::size_t>(channels));
    const Result<std::size_t> got = source.read(room);
    if (!got) {
      return got.failure();
    }
    if (got.value() == 0) {
      if (static_cast<std::int64_t>(left) <= source.slack().value) {
        break;
      }
      return to_failure(msg::audio_cut_while_read{});
    }
    Result<Done> added =
        append(room.first(got.value() * static_cast<std::size_t>(channels)), channels, resampler);
    if (!added) {
      return added;
    }
    left -= got.value();
  }
  if (resampler) {
    resampler->finish(floats_);
  }
  return Done{};
}

Result<Done> AudioDecoder::append(std::span<const float> interleaved,
                                  int channels,
                                  std::optional<Resampler>& resampler) {
  mono_.resize(interleaved.size() / static_cast<std::size_t>(channels));
  mix_down(interleaved, channels, mono_);
  Result<Done> sound = check_magnitude(mono_);
  if (!sound) {
    return sound;
  }
  if (resampler) {
    resampler->push(mono_, floats_);
  } else {
    floats_.insert(floats_.end(), mono_.begin(), mono_.end());
  }
  return Done{};
}

void AudioDecoder::release_large_buffers() {
  pcm_ = {};
  if (bytes_.capacity() > kKeepSamples * sizeof(std::int16_t)) {
    bytes_.release();
  }
  if (floats_.capacity() > kKeepSamples) {
    floats_ = {};
    rounded_ = {};
  }
}

}  // namespace qanat
