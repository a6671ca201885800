// Sound in the formats that clients ask for, encoded while it is made: what comes out can be sent
// on at once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/quantity.h"

namespace qanat {

enum class SoundFormat { wav, pcm, flac, mp3, opus };

// By the names that OpenAI's interface has for them.
std::optional<SoundFormat> to_sound_format(std::string_view name);
std::string_view content_type(SoundFormat format);
// The rate that sound of `rate` leaves with: raw samples at the 24 kHz that their readers take for
// granted, Opus at one that it has.
SampleRate encoded_rate(SoundFormat format, SampleRate rate);

class SoundSink;

// Owner; one signal, one thread at a time. Mono.
class SoundEncoder {
 public:
  // Throws Error when the library has no such encoder.
  SoundEncoder(SoundFormat format, SampleRate rate);
  SoundEncoder(SoundEncoder&&) noexcept;
  SoundEncoder& operator=(SoundEncoder&&) noexcept;
  ~SoundEncoder();

  // Bytes that are ready by now, if any: encoders hold some samples back. Samples are bounded to
  // full scale; what is not a number becomes 0. Throws Error when the library refuses.
  std::string encode(std::span<const float> mono);
  // The rest.
  std::string finish();

 private:
  std::unique_ptr<SoundSink> sink_;
};

}  // namespace qanat
