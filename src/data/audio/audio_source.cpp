#include "audio/audio_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"
#include "locale/messages/data_set_errors.h"

namespace qanat {
namespace {

constexpr std::size_t kPrefix = 4096;
constexpr std::size_t kChunkSamples = 16384;
constexpr std::size_t kId3Header = 10;

std::string_view text_in(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class WavSource : public AudioSource {
 public:
  WavSource(const AudioFile& file, const WavLayout& layout)
      : file_(file), layout_(layout), header_(layout.header()) {}

  const AudioHeader& header() const override { return header_; }

  Result<Done> seek(SampleCount frame) override {
    position_ = static_cast<std::size_t>(std::min(frame, layout_.samples).value);
    return Done{};
  }

  Result<std::size_t> read(std::span<float> interleaved) override {
    const auto channels = static_cast<std::size_t>(layout_.channels);
    const auto left = static_cast<std::size_t>(layout_.samples.value) - position_;
    const std::size_t frames = std::min(interleaved.size() / channels, left);
    const auto frame_bytes = static_cast<std::size_t>(layout_.frame_bytes().value);
    const std::span<std::byte> bytes = bytes_.room(frames * frame_bytes);
    const Bytes offset{layout_.data_offset + static_cast<std::int64_t>(position_ * frame_bytes)};
    const Result<std::size_t> got = read_at(file_, offset, bytes);
    if (!got) {
      return got.failure();
    }
    const std::size_t whole = got.value() / frame_bytes;
    to_float(layout_.format, bytes.first(whole * frame_bytes), interleaved.first(whole * channels));
    position_ += whole;
    return whole;
  }

 private:
  const AudioFile& file_;
  WavLayout layout_;
  AudioHeader header_;
  std::size_t position_ = 0;  // frames read so far
  PageBuffer bytes_;
};

Result<AudioHeader> read_header(const std::filesystem::path& path) {
  const Result<AudioFile> file = open_audio_file(path);
  if (!file) {
    return file.failure();
  }
  return read_audio_header(file.value());
}

}  // namespace

Result<Done> AudioSource::seek(SampleCount frame) {
  const auto channels = static_cast<std::size_t>(header().channels);
  std::vector<float> passed(kChunkSamples);
  for (auto left = static_cast<std::size_t>(frame.value); left > 0;) {
    const std::size_t frames = std::min(kChunkSamples / channels, left);
    const Result<std::size_t> got = read(std::span(passed).first(frames * channels));
    if (!got) {
      return got.failure();
    }
    if (got.value() == 0) {
      break;  // the next read says that there is no more
    }
    left -= got.value();
  }
  return Done{};
}

AudioSourcePtr make_wav_source(const AudioFile& file, const WavLayout& layout) {
  return std::make_unique<WavSource>(file, layout);
}

Result<std::optional<WavLayout>> read_wav_layout(const AudioFile& file,
                                                 std::span<const std::byte> prefix) {
  const auto fetch = [&](Bytes offset, std::span<std::byte> out) {
    const auto begin = static_cast<std::size_t>(offset.value);
    if (begin + out.size() <= prefix.size()) {
      std::memcpy(out.data(), prefix.data() + begin, out.size());
      return true;
    }
    const Result<std::size_t> got = read_at(file, offset, out);
    return got && got.value() == out.size();
  };
  return parse_wav(fetch, file.size);
}

std::size_t id3_size(std::span<const std::byte> prefix) {
  if (!text_in(prefix).starts_with("ID3") || prefix.size() < kId3Header) {
    return 0;
  }
  const auto seven_bits = [&](std::size_t at) {
    return std::to_integer<std::size_t>(prefix[at]) & 0x7FU;
  };
  return kId3Header +
         (seven_bits(6) << 21U | seven_bits(7) << 14U | seven_bits(8) << 7U | seven_bits(9));
}

bool is_flac(std::span<const std::byte> prefix) {
  const std::size_t begin = std::min(id3_size(prefix), prefix.size());
  return text_in(prefix.subspan(begin)).starts_with("fLaC");
}

Result<AudioSourcePtr> open_audio_source(const AudioFile& file) {
  std::array<std::byte, kPrefix> bytes;
  const Result<std::size_t> got = read_at(file, Bytes{0}, bytes);
  if (!got) {
    return got.failure();
  }
  return open_audio_source(file, std::span(bytes).first(got.value()));
}

Result<AudioHeader> read_audio_header(const AudioFile& file) {
  const Result<AudioSourcePtr> source = open_audio_source(file);
  if (!source) {
    return source.failure();
  }
  return source.value()->header();
}

Result<AudioHeader> read_audio_header(const std::filesystem::path& path) {
  Result<AudioHeader> header = read_header(path);
  if (!header) {
    return to_failure(msg::set_refused{.file = path.string(), .why = reason_of(header.failure())});
  }
  return header;
}

Result<Done> read_promised(AudioSource& source, std::vector<float>& buffer, const SeeSamples& see) {
  const AudioHeader& header = source.header();
  const auto channels = static_cast<std::size_t>(header.channels);
  buffer.resize(kChunkSamples);
  std::int64_t left = header.samples.value;
  while (left > 0) {
    const std::size_t frames = std::min(kChunkSamples / channels, static_cast<std::size_t>(left));
    const Result<std::size_t> got = source.read(std::span(buffer).first(frames * channels));
    if (!got) {
      return got.failure();
    }
    if (got.value() == 0) {
      break;
    }
    Result<Done> seen = see(std::span(buffer).first(got.value() * channels));
    if (!seen) {
      return seen;
    }
    left -= static_cast<std::int64_t>(got.value());
  }
  if (left > source.slack().value) {
    return to_failure(msg::audio_truncated{.stated = ungrouped(header.samples.value),
                                           .held = ungrouped(header.samples.value - left)});
  }
  return Done{};
}

}  // namespace qanat
