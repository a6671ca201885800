#include "audio/wav_layout.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"

namespace qanat {
namespace {

constexpr std::int64_t kRiffHeader = 12;
constexpr std::int64_t kChunkHeader = 8;
constexpr std::int64_t kPlainFormat = 16;
constexpr std::int64_t kExtensibleFormat = 40;
// Real files have a handful; without a limit a file of empty chunks would be walked byte by byte.
constexpr int kMaxChunks = 1000;
// Writers that cannot seek back leave these; the last is that of SoX and eSpeak.
constexpr std::array<std::uint32_t, 2> kUnknownSizes = {0xFFFFFFFFU, 0x7FFFF000U};
constexpr std::int64_t kMaxZeroTail = 4096;

constexpr std::uint16_t kTagPcm = 1;
constexpr std::uint16_t kTagFloat = 3;
constexpr std::uint16_t kTagExtensible = 0xFFFE;

using Bytespan = std::span<const std::byte>;

template <typename T>
T read_le(Bytespan bytes, std::int64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view text_at(Bytespan bytes, std::int64_t offset, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes.data()) + offset, size};
}

std::string printable(std::string_view id) {
  std::string text(id);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

struct Chunk {
  std::array<char, 4> name = {};
  std::uint32_t size = 0;
  std::int64_t payload = 0;  // offset in the file

  std::string_view id() const { return {name.data(), name.size()}; }
  std::int64_t end() const { return payload + size + (size & 1U); }  // chunks begin on even bytes
};

struct Format {
  SampleRate rate;
  int channels = 0;
  std::int64_t frame_bytes = 0;
  std::optional<SampleFormat> samples;  // nothing: an encoding of libsndfile's
};

// The tail of the sub-format GUID of all extensible formats that mean a plain tag.
constexpr std::string_view kPlainGuidTail(
    "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71", 14);

std::optional<std::uint16_t> effective_tag(Bytespan format) {
  const auto tag = read_le<std::uint16_t>(format, 0);
  if (tag != kTagExtensible) {
    return tag;
  }
  if (static_cast<std::int64_t>(format.size()) < kExtensibleFormat ||
      text_at(format, 26, kPlainGuidTail.size()) != kPlainGuidTail) {
    return std::nullopt;
  }
  return read_le<std::uint16_t>(format, 24);
}

std::optional<SampleFormat> sample_format(std::optional<std::uint16_t> tag, int bits) {
  if (tag == kTagPcm && bits > 0 && bits <= 32) {
    constexpr std::array kByWidth = {
        SampleFormat::pcm_u8, SampleFormat::pcm_s16, SampleFormat::pcm_s24, SampleFormat::pcm_s32};
    return kByWidth.at(static_cast<std::size_t>((bits - 1) / 8));
  }
  if (tag == kTagFloat && (bits == 32 || bits == 64)) {
    return bits == 32 ? SampleFormat::pcm_f32 : SampleFormat::pcm_f64;
  }
  return std::nullopt;
}

Result<Format> parse_format(Bytespan bytes) {
  Format format{.rate = SampleRate{read_le<std::uint32_t>(bytes, 4)},
                .channels = read_le<std::uint16_t>(bytes, 2),
                .frame_bytes = read_le<std::uint16_t>(bytes, 12),
                .samples = {}};
  const Result<Done> plausible = check_rate_and_channels(format.rate, format.channels);
  if (!plausible) {
    return plausible.failure();
  }
  const int bits = read_le<std::uint16_t>(bytes, 14);
  format.samples = sample_format(effective_tag(bytes), bits);
  if (!format.samples) {
    return format;
  }
  const auto expected =
      static_cast<std::int64_t>(bytes_per_sample(*format.samples)) * format.channels;
  if (format.frame_bytes != expected) {
    return to_failure(msg::wav_contradiction{.bytes = ungrouped(format.frame_bytes),
                                             .expected = ungrouped(expected),
                                             .channels = format.channels,
                                             .bits = bits});
  }
  return format;
}

Failure truncated(std::int64_t declared, std::int64_t held, const Format& format) {
  const bool in_bytes = !format.samples;
  const std::int64_t unit = in_bytes ? 1 : format.frame_bytes;
  const Quantity stated = ungrouped(declared / unit);
  const Quantity found = ungrouped(held / unit);
  return in_bytes ? to_failure(msg::wav_truncated_bytes{.stated = stated, .held = found})
                  : to_failure(msg::audio_truncated{.stated = stated, .held = found});
}

// Walks the chunks of one file.
class Parser {
 public:
  Parser(const FetchBytes& fetch, std::int64_t file_size) : fetch_(fetch), file_size_(file_size) {}

  Result<std::optional<WavLayout>> parse() {
    std::int64_t offset = kRiffHeader;
    for (int count = 0; count < kMaxChunks; ++count) {
      const std::optional<Chunk> chunk = chunk_at(offset);
      if (!chunk) {
        return to_failure(msg::wav_no_chunk{.chunk = format_ ? "data" : "fmt"});
      }
      if (chunk->id() == "data") {
        return locate_data(*chunk);
      }
      const Result<Done> seen = pass(*chunk);
      if (!seen) {
        return seen.failure();
      }
      offset = chunk->end();
    }
    return to_failure(msg::wav_too_many_chunks{.chunks = ungrouped(kMaxChunks)});
  }

 private:
  bool fetch(std::int64_t offset, std::span<std::byte> out) const {
    return offset + static_cast<std::int64_t>(out.size()) <= file_size_ &&
           fetch_(Bytes{offset}, out);
  }

  std::optional<Chunk> chunk_at(std::int64_t offset) const {
    std::array<std::byte, kChunkHeader> bytes;
    if (!fetch(offset, bytes)) {
      return std::nullopt;
    }
    Chunk chunk{
        .name = {}, .size = read_le<std::uint32_t>(bytes, 4), .payload = offset + kChunkHeader};
    std::memcpy(chunk.name.data(), bytes.data(), chunk.name.size());
    return chunk;
  }

  // A chunk that is not the samples.
  Result<Done> pass(const Chunk& chunk) {
    if (chunk.end() > file_size_) {
      return to_failure(msg::wav_truncated_chunk{.chunk = printable(chunk.id()),
                                                 .bytes = ungrouped(chunk.size),
                                                 .held = ungrouped(file_size_ - chunk.payload)});
    }
    return chunk.id() == "fmt " && !format_ ? read_format(chunk) : Done{};
  }

  Result<Done> read_format(const Chunk& chunk) {
    if (chunk.size < kPlainFormat) {
      return to_failure(
          msg::wav_small_format{.bytes = ungrouped(chunk.size), .least = ungrouped(kPlainFormat)});
    }
    std::array<std::byte, kExtensibleFormat> bytes;
    const std::span<std::byte> given =
        std::span(bytes).first(std::min<std::size_t>(bytes.size(), chunk.size));
    if (!fetch(chunk.payload, given)) {
      return to_failure(msg::wav_no_format{});
    }
    Result<Format> format = parse_format(given);
    if (!format) {
      return format.failure();
    }
    format_ = format.value();
    return Done{};
  }

  bool runs_to_the_end(const Chunk& data) const {
    if (data.size != 0) {
      return std::find(kUnknownSizes.begin(), kUnknownSizes.end(), data.size) !=
             kUnknownSizes.end();
    }
    // In a finished header 0 is the size; in an unfinished one the RIFF size is wrong as well.
    const std::optional<Chunk> riff = chunk_at(0);
    return riff && riff->payload + riff->size != file_size_;
  }

  Result<std::optional<WavLayout>> locate_data(const Chunk& data) const {
    if (!format_) {
      return to_failure(msg::wav_data_first{});
    }
    const std::int64_t held = file_size_ - data.payload;
    const bool to_the_end = runs_to_the_end(data);
    if (!to_the_end && data.size > held) {
      return truncated(data.size, held, *format_);
    }
    if (!format_->samples) {
      return std::optional<WavLayout>();
    }
    const std::int64_t bytes = to_the_end ? held : data.size;
    const WavLayout layout{.rate = format_->rate,
                           .channels = format_->channels,
                           .format = *format_->samples,
                           .samples = SampleCount{bytes / format_->frame_bytes},
                           .data_offset = data.payload};
    const Result<Done> plausible = check_audio_header(layout.header());
    if (!plausible) {
      return plausible.failure();
    }
    const std::optional<Chunk> tail = to_the_end ? std::nullopt : chunk_at(data.end());
    if (tail && !may_follow_samples(*tail)) {
      return to_failure(msg::wav_wrong_size{.samples = ungrouped(layout.samples.value),
                                            .bytes = ungrouped(file_size_ - data.end())});
    }
    return std::optional(layout);
  }

  // A chunk, a tag or a little padding. Anything else means that the data size is wrong and more
  // samples follow; without this check, training would silently use the truncated clip.
  bool may_follow_samples(const Chunk& tail) const {
    const std::string_view id = tail.id();
    const bool chunk = printable(id) == id;
    const bool tag = id.starts_with("ID3") || id.starts_with("TAG");
    const bool padding = id == std::string_view("\0\0\0\0", 4) &&
                         file_size_ - tail.payload + kChunkHeader <= kMaxZeroTail;
    return chunk || tag || padding;
  }

  const FetchBytes& fetch_;
  std::int64_t file_size_;
  std::optional<Format> format_;
};

}  // namespace

AudioHeader WavLayout::header() const {
  return {.rate = rate,
          .channels = channels,
          .samples = samples,
          .encoding = std::string(to_string(format))};
}

Bytes WavLayout::frame_bytes() const {
  return Bytes{static_cast<std::int64_t>(bytes_per_sample(format)) * channels};
}

bool is_wav(std::span<const std::byte> prefix) {
  return static_cast<std::int64_t>(prefix.size()) >= kRiffHeader &&
         text_at(prefix, 0, 4) == "RIFF" && text_at(prefix, 8, 4) == "WAVE";
}

Result<std::optional<WavLayout>> parse_wav(const FetchBytes& fetch, Bytes file_size) {
  return Parser(fetch, file_size.value).parse();
}

Result<std::optional<WavLayout>> parse_wav(std::span<const std::byte> whole_file) {
  const auto copy = [&whole_file](Bytes offset, std::span<std::byte> out) {
    std::memcpy(out.data(), whole_file.data() + offset.value, out.size());
    return true;
  };
  return parse_wav(copy, Bytes{static_cast<std::int64_t>(whole_file.size())});
}

}  // namespace qanat
