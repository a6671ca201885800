#include "audio/sound_encoder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <sndfile.h>

#include "audio/audio_decoder.h"
#include "audio/sample_format.h"
#include "audio/wav_writer.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"

namespace qanat {

class SoundSink {
 public:
  virtual ~SoundSink() = default;
  virtual void write(std::span<const float> samples) = 0;
  virtual void close() = 0;
  virtual std::string take() = 0;

  std::optional<Resampler> resampler{};
};

namespace {

constexpr SampleRate kSpeechRate{24000};  // that readers of raw samples assume

struct FormatFacts {
  SoundFormat format;
  std::string_view name;
  std::string_view content_type;
};
constexpr auto kFormats = std::to_array<FormatFacts>({{SoundFormat::wav, "wav", "audio/wav"},
                                                      {SoundFormat::pcm, "pcm", "audio/pcm"},
                                                      {SoundFormat::flac, "flac", "audio/flac"},
                                                      {SoundFormat::mp3, "mp3", "audio/mpeg"},
                                                      {SoundFormat::opus, "opus", "audio/ogg"}});

int library_format(SoundFormat format) {
  switch (format) {
    case SoundFormat::flac:
      return SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
    case SoundFormat::opus:
      return SF_FORMAT_OGG | SF_FORMAT_OPUS;
    case SoundFormat::mp3:
    case SoundFormat::wav:
    case SoundFormat::pcm:
      break;
  }
  return SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III;
}

// What the library has written and nobody has taken. It may go back to correct the length in a
// header; what has left cannot be changed, and readers of streams do not need it.
struct WrittenBytes {
  std::string fresh{};
  sf_count_t taken = 0;  // before `fresh`
  sf_count_t at = 0;

  sf_count_t end() const { return taken + static_cast<sf_count_t>(fresh.size()); }
};

sf_count_t length_of(void* user) {
  return static_cast<WrittenBytes*>(user)->end();
}

sf_count_t go_to(sf_count_t offset, int whence, void* user) {
  auto& bytes = *static_cast<WrittenBytes*>(user);
  const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? bytes.at : bytes.end();
  bytes.at = std::clamp<sf_count_t>(from + offset, 0, bytes.end());
  return bytes.at;
}

sf_count_t read_none(void* /*into*/, sf_count_t /*count*/, void* /*user*/) {
  return 0;
}

sf_count_t write_some(const void* from, sf_count_t count, void* user) {
  auto& bytes = *static_cast<WrittenBytes*>(user);
  const auto* values = static_cast<const char*>(from);
  sf_count_t skipped = std::clamp<sf_count_t>(bytes.taken - bytes.at, 0, count);
  const auto first = static_cast<std::size_t>(bytes.at + skipped - bytes.taken);
  const auto size = static_cast<std::size_t>(count - skipped);
  if (size > 0) {
    bytes.fresh.resize(std::max(bytes.fresh.size(), first + size));
    std::memcpy(bytes.fresh.data() + first, values + skipped, size);
  }
  bytes.at += count;
  return count;
}

sf_count_t place_of(void* user) {
  return static_cast<WrittenBytes*>(user)->at;
}

std::vector<float> bounded(std::span<const float> mono) {
  std::vector<float> samples(mono.begin(), mono.end());
  for (float& sample : samples) {
    sample = std::isfinite(sample) ? std::clamp(sample, -1.0F, 1.0F) : 0.0F;
  }
  return samples;
}

// 16-bit samples, with or without a header before them.
class PlainSamples : public SoundSink {
 public:
  PlainSamples(SoundFormat format, SampleRate rate) {
    if (format == SoundFormat::wav) {
      std::vector<std::byte> header = encode_wav({}, rate);
      // "Longer than any file", as players of streams expect.
      constexpr std::uint32_t kUnknown = 0xFFFFFFFFU;
      std::memcpy(header.data() + 4, &kUnknown, sizeof(kUnknown));
      std::memcpy(header.data() + 40, &kUnknown, sizeof(kUnknown));
      bytes_.assign(reinterpret_cast<const char*>(header.data()), header.size());
    }
  }
  void write(std::span<const float> samples) override {
    rounded_.resize(samples.size());
    to_pcm16(samples, rounded_);
    bytes_.append(reinterpret_cast<const char*>(rounded_.data()),
                  rounded_.size() * sizeof(std::int16_t));
  }
  void close() override {}
  std::string take() override { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
  std::vector<std::int16_t> rounded_;
};

class LibraryEncoder : public SoundSink {
 public:
  LibraryEncoder(SoundFormat format, SampleRate rate) {
    SF_INFO facts{};
    facts.samplerate = static_cast<int>(rate.value);
    facts.channels = 1;
    facts.format = library_format(format);
    SF_VIRTUAL_IO io{.get_filelen = length_of,
                     .seek = go_to,
                     .read = read_none,
                     .write = write_some,
                     .tell = place_of};
    file_ = ::sf_open_virtual(&io, SFM_WRITE, &facts, &bytes_);
    if (file_ == nullptr) {
      throw MessageError(msg::sound_not_encoded{.reason = ::sf_strerror(nullptr)});
    }
    double latency_ms = 100;  // of a page: by default a second of sound is held back
    ::sf_command(file_, SFC_SET_OGG_PAGE_LATENCY_MS, &latency_ms, sizeof(latency_ms));
  }
  LibraryEncoder(const LibraryEncoder&) = delete;
  LibraryEncoder& operator=(const LibraryEncoder&) = delete;
  ~LibraryEncoder() override { close(); }

  void write(std::span<const float> samples) override {
    const auto count = static_cast<sf_count_t>(samples.size());
    if (::sf_writef_float(file_, bounded(samples).data(), count) != count) {
      throw MessageError(msg::sound_not_encoded{.reason = ::sf_strerror(file_)});
    }
  }
  void close() override {
    if (file_ != nullptr) {
      ::sf_close(std::exchange(file_, nullptr));
    }
  }
  std::string take() override {
    bytes_.taken = bytes_.end();
    return std::exchange(bytes_.fresh, {});
  }

 private:
  WrittenBytes bytes_;
  SNDFILE* file_ = nullptr;
};

}  // namespace

std::optional<SoundFormat> to_sound_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &FormatFacts::name);
  return found == kFormats.end() ? std::nullopt : std::optional(found->format);
}

std::string_view content_type(SoundFormat format) {
  return std::ranges::find(kFormats, format, &FormatFacts::format)->content_type;
}

SampleRate encoded_rate(SoundFormat format, SampleRate rate) {
  return format == SoundFormat::pcm || format == SoundFormat::opus ? kSpeechRate : rate;
}

SoundEncoder::SoundEncoder(SoundFormat format, SampleRate rate) {
  const SampleRate wanted = encoded_rate(format, rate);
  if (format == SoundFormat::wav || format == SoundFormat::pcm) {
    sink_ = std::make_unique<PlainSamples>(format, wanted);
  } else {
    sink_ = std::make_unique<LibraryEncoder>(format, wanted);
  }
  if (wanted != rate) {
    sink_->resampler.emplace(rate, wanted);
  }
}

SoundEncoder::SoundEncoder(SoundEncoder&&) noexcept = default;
SoundEncoder& SoundEncoder::operator=(SoundEncoder&&) noexcept = default;
SoundEncoder::~SoundEncoder() = default;

std::string SoundEncoder::encode(std::span<const float> mono) {
  if (sink_->resampler) {
    std::vector<float> samples;
    sink_->resampler->push(mono, samples);
    sink_->write(samples);
  } else {
    sink_->write(mono);
  }
  return sink_->take();
}

std::string SoundEncoder::finish() {
  if (sink_->resampler) {
    std::vector<float> samples;
    sink_->resampler->finish(samples);
    sink_->write(samples);
  }
  sink_->close();
  return sink_->take();
}

}  // namespace qanat
