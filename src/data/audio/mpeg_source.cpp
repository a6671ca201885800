// MP3 by libmpg123, which libsndfile itself uses. Directly, because libsndfile takes the length
// that the first frame suggests and cuts the samples there: a file of variable bitrate without a
// Xing tag lost 72 % of its samples that way.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <mpg123.h>
#include <sys/types.h>

#include "audio/audio_source.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"

namespace qanat {
namespace {

constexpr std::int64_t kLargestMpegFrame = 1152;

struct DeleteMpg123 {
  void operator()(mpg123_handle* decoder) const { mpg123_delete(decoder); }
};
using Mpg123Ptr = std::unique_ptr<mpg123_handle, DeleteMpg123>;

Failure damaged(mpg123_handle* decoder) {
  return to_failure(msg::mpeg_damaged{.what = mpg123_strerror(decoder)});
}

// The file as libmpg123 sees it. Left alone, that reads four bytes at a time.
class BufferedFile {
 public:
  explicit BufferedFile(const AudioFile& file) : file_(file) {}

  static ssize_t read(void* self, void* out, std::size_t size) {
    return static_cast<BufferedFile*>(self)->read_into({static_cast<std::byte*>(out), size});
  }

  static off_t seek(void* self, off_t offset, int whence) {
    auto& file = *static_cast<BufferedFile*>(self);
    const off_t base = whence == SEEK_SET   ? 0
                       : whence == SEEK_CUR ? file.position_
                                            : file.file_.size.value;
    file.position_ = std::max<off_t>(base + offset, 0);
    return file.position_;
  }

 private:
  ssize_t read_into(std::span<std::byte> out) {
    if (position_ < begin_ || position_ >= begin_ + static_cast<off_t>(filled_)) {
      const Result<std::size_t> got = read_at(file_, Bytes{position_}, buffer_);
      if (!got) {
        return -1;
      }
      begin_ = position_;
      filled_ = got.value();
    }
    const auto skipped = static_cast<std::size_t>(position_ - begin_);
    const std::size_t size = std::min(out.size(), filled_ - skipped);
    std::memcpy(out.data(), buffer_.data() + skipped, size);
    position_ += static_cast<off_t>(size);
    return static_cast<ssize_t>(size);
  }

  const AudioFile& file_;
  off_t position_ = 0;
  off_t begin_ = 0;  // of the buffer in the file
  std::size_t filled_ = 0;
  std::array<std::byte, 16384> buffer_;
};

class MpegSource : public AudioSource {
 public:
  static Result<AudioSourcePtr> open(const AudioFile& file);

  explicit MpegSource(const AudioFile& file) : file_(file) {}

  const AudioHeader& header() const override { return header_; }

  Result<std::size_t> read(std::span<float> interleaved) override {
    const std::span<std::byte> out = std::as_writable_bytes(interleaved);
    const std::size_t frame_bytes = sizeof(float) * static_cast<std::size_t>(header_.channels);
    std::size_t filled = 0;
    int status = MPG123_OK;
    while (status == MPG123_OK && out.size() - filled >= frame_bytes) {
      std::size_t got = 0;
      status = mpg123_read(decoder_.get(), out.data() + filled, out.size() - filled, &got);
      filled += got;
    }
    if (status != MPG123_OK && status != MPG123_DONE) {
      return damaged(decoder_.get());
    }
    return filled / frame_bytes;
  }

  SampleCount slack() const override { return SampleCount{2 * kLargestMpegFrame}; }

 private:
  BufferedFile file_;  // libmpg123 keeps its address
  Mpg123Ptr decoder_;
  AudioHeader header_;
};

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_frame_header(std::span<const std::byte> bytes) {
  const auto bits = [&](std::size_t at, unsigned shift, unsigned mask) {
    return std::to_integer<unsigned>(bytes[at]) >> shift & mask;
  };
  return bytes.size() >= 4 && bits(0, 0, 0xFF) == 0xFF && bits(1, 5, 7) == 7 &&  // sync
         bits(1, 3, 3) != 1 && bits(1, 1, 3) != 0 &&                             // version, layer
         bits(2, 4, 15) != 15 && bits(2, 2, 3) != 3;                             // bitrate, rate
}

// A Xing or Info tag in the first frame states the number of frames the encoder wrote.
bool states_its_length(const AudioFile& file) {
  std::array<std::byte, 256> bytes;
  Result<std::size_t> got = read_at(file, Bytes{0}, bytes);
  if (got && id3_size(std::span(bytes).first(got.value())) > 0) {
    got = read_at(file, Bytes{static_cast<std::int64_t>(id3_size(bytes))}, bytes);
  }
  if (!got) {
    return false;
  }
  const std::string_view first = text_of(std::span(bytes).first(got.value()));
  return first.find("Xing") != first.npos || first.find("Info") != first.npos;
}

Result<AudioHeader> scan(mpg123_handle* decoder, const AudioFile& file) {
  long rate = 0;
  int channels = 0;
  int encoding = 0;
  if (mpg123_getformat(decoder, &rate, &channels, &encoding) != MPG123_OK) {
    return damaged(decoder);
  }
  // Holds the format: a change in mid-file is converted or refused, never mistaken.
  mpg123_format_none(decoder);
  mpg123_format(decoder, rate, channels == 1 ? MPG123_MONO : MPG123_STEREO, MPG123_ENC_FLOAT_32);
  const off_t stated = mpg123_length(decoder);
  if (mpg123_scan(decoder) != MPG123_OK) {
    return damaged(decoder);
  }
  const off_t found = mpg123_length(decoder);
  if (found + 2 * kLargestMpegFrame < stated && states_its_length(file)) {
    return to_failure(msg::audio_truncated{.stated = ungrouped(stated), .held = ungrouped(found)});
  }
  return AudioHeader{.rate = SampleRate{rate},
                     .channels = channels,
                     .samples = SampleCount{found},
                     .encoding = "mp3"};
}

Result<AudioSourcePtr> MpegSource::open(const AudioFile& file) {
  auto source = std::make_unique<MpegSource>(file);
  source->decoder_.reset(mpg123_new(nullptr, nullptr));
  mpg123_handle* decoder = source->decoder_.get();
  if (decoder == nullptr) {
    return to_failure(msg::audio_no_decoder{.library = "libmpg123"});
  }
  constexpr long kFlags = MPG123_QUIET | MPG123_FORCE_FLOAT | MPG123_SKIP_ID3V2;
  mpg123_param(decoder, MPG123_ADD_FLAGS, kFlags, 0.0);
  mpg123_replace_reader_handle(decoder, BufferedFile::read, BufferedFile::seek, nullptr);
  if (mpg123_open_handle(decoder, &source->file_) != MPG123_OK) {
    return damaged(decoder);
  }
  Result<AudioHeader> header = scan(decoder, file);
  if (!header) {
    return header.failure();
  }
  const Result<Done> plausible = check_audio_header(header.value());
  if (!plausible) {
    return plausible.failure();
  }
  source->header_ = std::move(header).value();
  return AudioSourcePtr(std::move(source));
}

}  // namespace

bool is_mpeg(std::span<const std::byte> prefix) {
  // FLAC files carry ID3 tags, too.
  return id3_size(prefix) > 0 ? !is_flac(prefix) : is_frame_header(prefix);
}

Result<AudioSourcePtr> open_mpeg_source(const AudioFile& file) {
  return MpegSource::open(file);
}

}  // namespace qanat
