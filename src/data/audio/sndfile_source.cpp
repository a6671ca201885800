// Ogg Vorbis and Opus, AIFF, RF64, W64, CAF, AU and the odd encodings of WAV: libsndfile.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sndfile.h>

#include "audio/audio_source.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"

namespace qanat {
namespace {

struct CloseSndfile {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SndfilePtr = std::unique_ptr<SNDFILE, CloseSndfile>;

// The file as libsndfile sees it. Not sf_open_fd(): on failure that closes the descriptor even
// when told not to (1.2.0), which in a program with threads ends somebody else's file.
struct VirtualFile {
  const AudioFile& file;
  std::int64_t position = 0;
  std::optional<Failure> failure{};  // of reading, which libsndfile takes for the end of the file
};

VirtualFile& virtual_file(void* user) {
  return *static_cast<VirtualFile*>(user);
}

sf_count_t virtual_length(void* user) {
  return virtual_file(user).file.size.value;
}

sf_count_t virtual_seek(sf_count_t offset, int whence, void* user) {
  VirtualFile& self = virtual_file(user);
  const sf_count_t base = whence == SEEK_SET   ? 0
                          : whence == SEEK_CUR ? self.position
                                               : self.file.size.value;
  self.position = std::clamp<sf_count_t>(base + offset, 0, self.file.size.value);
  return self.position;
}

sf_count_t virtual_read(void* out, sf_count_t count, void* user) {
  VirtualFile& self = virtual_file(user);
  const std::span<std::byte> bytes(static_cast<std::byte*>(out), static_cast<std::size_t>(count));
  const Result<std::size_t> got = read_at(self.file, Bytes{self.position}, bytes);
  if (!got) {
    self.failure = got.failure();
    return 0;
  }
  self.position += static_cast<std::int64_t>(got.value());
  return static_cast<sf_count_t>(got.value());
}

sf_count_t virtual_tell(void* user) {
  return virtual_file(user).position;
}

std::string encoding_name(int format) {
  constexpr std::array<std::pair<int, const char*>, 13> kNames = {{
      {SF_FORMAT_PCM_S8, "pcm_s8"},
      {SF_FORMAT_PCM_U8, "pcm_u8"},
      {SF_FORMAT_PCM_16, "pcm_s16"},
      {SF_FORMAT_PCM_24, "pcm_s24"},
      {SF_FORMAT_PCM_32, "pcm_s32"},
      {SF_FORMAT_FLOAT, "pcm_f32"},
      {SF_FORMAT_DOUBLE, "pcm_f64"},
      {SF_FORMAT_ULAW, "ulaw"},
      {SF_FORMAT_ALAW, "alaw"},
      {SF_FORMAT_IMA_ADPCM, "ima_adpcm"},
      {SF_FORMAT_MS_ADPCM, "ms_adpcm"},
      {SF_FORMAT_VORBIS, "vorbis"},
      {SF_FORMAT_OPUS, "opus"},
  }};
  const int subtype = format & SF_FORMAT_SUBMASK;
  const auto* found = std::find_if(
      kNames.begin(), kNames.end(), [&](const auto& name) { return name.first == subtype; });
  return found != kNames.end() ? found->second : fmt::format("sndfile_{:x}", subtype);
}

// libsndfile only says "unknown format"; the usual cause deserves its own words.
bool looks_like_text(const AudioFile& file) {
  std::array<std::byte, 256> bytes;
  const Result<std::size_t> got = read_at(file, Bytes{0}, bytes);
  const auto is_text = [](std::byte byte) {
    const auto code = std::to_integer<int>(byte);
    return code >= ' ' || code == '\n' || code == '\r' || code == '\t';
  };
  return got && std::all_of(bytes.begin(), bytes.begin() + got.value(), is_text);
}

// Says why a file could not be opened, by a thread that opens alone.
Failure not_audio(const AudioFile& file) {
  if (looks_like_text(file)) {
    return to_failure(msg::audio_is_text{});
  }
  return to_failure(msg::audio_unreadable{.what = sf_strerror(nullptr)});
}

class SndfileSource : public AudioSource {
 public:
  static Result<AudioSourcePtr> open(const AudioFile& file);

  explicit SndfileSource(const AudioFile& file) : virtual_{.file = file} {}

  const AudioHeader& header() const override { return header_; }

  Result<Done> seek(SampleCount frame) override {
    if (sf_seek(file_.get(), frame.value, SEEK_SET) < 0) {
      return virtual_.failure ? *virtual_.failure
                              : to_failure(msg::audio_damaged{.what = sf_strerror(file_.get())});
    }
    return Done{};
  }

  Result<std::size_t> read(std::span<float> interleaved) override {
    const auto frames = static_cast<sf_count_t>(interleaved.size()) / header_.channels;
    const sf_count_t got = sf_readf_float(file_.get(), interleaved.data(), frames);
    if (virtual_.failure) {
      return *virtual_.failure;
    }
    if (sf_error(file_.get()) != SF_ERR_NO_ERROR) {
      return to_failure(msg::audio_damaged{.what = sf_strerror(file_.get())});
    }
    return static_cast<std::size_t>(std::max<sf_count_t>(got, 0));
  }

 private:
  VirtualFile virtual_;  // libsndfile keeps its address
  SndfilePtr file_;
  AudioHeader header_;
};

// libsndfile keeps the reason why a file was not opened once per process. So threads open files
// beside each other, and one that fails tries again alone to learn its own reason.
std::shared_mutex& opening() {
  static std::shared_mutex mutex;
  return mutex;
}

SndfilePtr open_virtual(VirtualFile& file, SF_INFO& info) {
  info = {};
  SF_VIRTUAL_IO io{.get_filelen = virtual_length,
                   .seek = virtual_seek,
                   .read = virtual_read,
                   .write = nullptr,
                   .tell = virtual_tell};
  return SndfilePtr(sf_open_virtual(&io, SFM_READ, &info, &file));
}

Result<AudioSourcePtr> SndfileSource::open(const AudioFile& file) {
  auto source = std::make_unique<SndfileSource>(file);
  SF_INFO info{};
  {
    const std::shared_lock together(opening());
    source->file_ = open_virtual(source->virtual_, info);
  }
  if (!source->file_ && !source->virtual_.failure) {
    const std::unique_lock alone(opening());
    source->virtual_.position = 0;
    source->file_ = open_virtual(source->virtual_, info);
    if (!source->file_ && !source->virtual_.failure) {
      return not_audio(file);
    }
  }
  if (source->virtual_.failure) {
    return *source->virtual_.failure;
  }
  if (info.frames == SF_COUNT_MAX) {
    return to_failure(msg::audio_no_length{});
  }
  source->header_ = {.rate = SampleRate{info.samplerate},
                     .channels = info.channels,
                     .samples = SampleCount{info.frames},
                     .encoding = encoding_name(info.format)};
  const Result<Done> plausible = check_audio_header(source->header_);
  if (!plausible) {
    return plausible.failure();
  }
  return AudioSourcePtr(std::move(source));
}

}  // namespace

Result<AudioSourcePtr> open_sndfile_source(const AudioFile& file) {
  return SndfileSource::open(file);
}

}  // namespace qanat
