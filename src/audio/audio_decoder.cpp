#include "audio/audio_decoder.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <soxr.h>

#include "audio/audio_header.h"
#include "audio/sample_format.h"
#include "base/error.h"
#include "locale/message_error.h"
#include "locale/messages.h"

namespace qanat {
namespace {

constexpr std::size_t kDrain = 4096;

// Most utterances are read whole by the first read.
constexpr std::int64_t kFirstRead = 2 << 20;
// Buffers that one very long file has grown are not kept for the short ones after it.
constexpr std::size_t kKeepSamples = 4 << 20;

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
    throw Error("cannot resample from {} to {} Hz: {}", from.value, to.value, problem);
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
    throw Error("cannot resample from {} to {} Hz: {}", from_.value, to_.value, problem);
  }
  output.resize(before + progress.written);
  return progress;
}

Result<std::span<const float>> AudioDecoder::decode(const std::filesystem::path& path) {
  const Result<Held> held = load(path);
  if (!held) {
    return about(path, held.failure());
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
  const Result<Held> held = load(path);
  if (!held) {
    return about(path, held.failure());
  }
  if (held.value() == Held::pcm) {
    return pcm_;
  }
  rounded_.resize(floats_.size());
  to_pcm16(floats_, rounded_);
  return std::span<const std::int16_t>(rounded_);
}

Result<AudioSamples> AudioDecoder::decode_as_held(const std::filesystem::path& path) {
  const Result<Held> held = load(path);
  if (!held) {
    return about(path, held.failure());
  }
  return held.value() == Held::pcm ? AudioSamples(pcm_)
                                   : AudioSamples(std::span<const float>(floats_));
}

Result<AudioDecoder::Held> AudioDecoder::load(const std::filesystem::path& path) {
  release_large_buffers();
  const Result<AudioFile> file = open_audio_file(path);
  if (!file) {
    return file.failure();
  }
  const std::int64_t first = std::min(file.value().size.value, kFirstRead);
  const std::span<std::byte> room = bytes_.room(static_cast<std::size_t>(first));
  const Result<std::size_t> got = read_at(file.value(), Bytes{0}, room);
  if (!got) {
    return got.failure();
  }
  const std::span<const std::byte> prefix = room.first(got.value());
  if (is_wav(prefix)) {
    const Result<std::optional<WavLayout>> layout = read_wav_layout(file.value(), prefix);
    if (!layout) {
      return layout.failure();
    }
    if (layout.value() && layout.value()->format == SampleFormat::pcm_s16 &&
        layout.value()->channels == 1 && layout.value()->rate == target_) {
      return load_plain(file.value(), *layout.value(), got.value());
    }
  }
  const Result<AudioSourcePtr> source = open_audio_source(file.value(), prefix);
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
  for (float& sample : floats_) {
    sample = std::min(std::max(sample, -1.0F), 1.0F);
  }
  return Held::floats;
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
