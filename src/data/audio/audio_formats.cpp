#include "audio/audio_formats.h"

#include <algorithm>
#include <array>
#include <string>

#include "audio/audio_source.h"

namespace qanat {

// Readers, each in the file of its name.
Result<AudioSourcePtr> open_flac_source(const AudioFile& file);
Result<AudioSourcePtr> open_mpeg_source(const AudioFile& file);

namespace {

using FirstBytes = std::span<const std::byte>;

struct AudioFormat {
  std::array<std::string_view, 3> endings{};
  // Whether a file begins so; null: whatever no other row knows.
  bool (*begins)(FirstBytes prefix) = nullptr;
  Result<AudioSourcePtr> (*open)(const AudioFile& file, FirstBytes prefix) = nullptr;
};

// What parse_wav() does not know is left to libsndfile.
Result<AudioSourcePtr> open_wav(const AudioFile& file, FirstBytes prefix) {
  const Result<std::optional<WavLayout>> layout = read_wav_layout(file, prefix);
  if (!layout) {
    return layout.failure();
  }
  return layout.value() ? make_wav_source(file, *layout.value()) : open_sndfile_source(file);
}

constexpr std::array kAudioFormats{
    AudioFormat{.endings = {".wav"}, .begins = is_wav, .open = open_wav},
    AudioFormat{.endings = {".flac"},
                .begins = is_flac,
                .open = [](const AudioFile& file, FirstBytes) { return open_flac_source(file); }},
    AudioFormat{
        .endings = {".ogg", ".opus"},
        .open = [](const AudioFile& file, FirstBytes) { return open_sndfile_source(file); }},
    AudioFormat{.endings = {".mp3"},
                .begins = is_mpeg,
                .open = [](const AudioFile& file, FirstBytes) { return open_mpeg_source(file); }}};

}  // namespace

const std::vector<std::string_view>& audio_endings() {
  static const std::vector<std::string_view> kEndings = [] {
    std::vector<std::string_view> endings;
    for (const AudioFormat& format : kAudioFormats) {
      std::ranges::copy_if(format.endings, std::back_inserter(endings), [](std::string_view one) {
        return !one.empty();
      });
    }
    return endings;
  }();
  return kEndings;
}

bool has_audio_ending(std::string_view name) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::any_of(audio_endings(), [&](std::string_view ending) {
    return name.size() >= ending.size() &&
           std::ranges::equal(name.substr(name.size() - ending.size()), ending, {}, lower);
  });
}

Result<AudioSourcePtr> open_audio_source(const AudioFile& file, std::span<const std::byte> prefix) {
  const auto known = std::ranges::find_if(kAudioFormats, [&](const AudioFormat& format) {
    return format.begins != nullptr && format.begins(prefix);
  });
  return known != kAudioFormats.end() ? known->open(file, prefix) : open_sndfile_source(file);
}

}  // namespace qanat
