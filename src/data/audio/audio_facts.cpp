#include "audio/audio_facts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "audio/audio_file.h"
#include "audio/audio_source.h"
#include "audio/sample_format.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"

namespace qanat {
namespace {

// The largest 16-bit value; nothing a converter delivers lies between it and full scale.
constexpr float kFullScale = 32767.0F / 32768.0F;

// Sees every sample once.
class Inspection {
 public:
  explicit Inspection(const AudioHeader& header)
      : header_(header), window_(std::max<std::int64_t>(header.rate.value / 100, 1)) {}

  Result<Done> see(std::span<float> interleaved) {
    for (float& sample : interleaved) {
      if (!std::isfinite(sample)) {
        ++non_finite_;
        sample = 0;
      }
      const float magnitude = std::fabs(sample);
      peak_ = std::max(peak_, magnitude);
      clipped_ += magnitude >= kFullScale ? 1 : 0;
    }
    mono_.resize(interleaved.size() / static_cast<std::size_t>(header_.channels));
    mix_down(interleaved, header_.channels, mono_);
    for (const float sample : mono_) {
      see_mixed(sample);
    }
    return check_magnitude(mono_);
  }

  AudioFacts facts() {
    close_window();
    const auto samples = static_cast<double>(std::max<std::int64_t>(frames_, 1));
    const std::int64_t leading = first_sound_.value_or(frames_);
    const std::int64_t trailing = frames_ - (first_sound_ ? end_of_sound_ : 0);
    return {.header = header_,
            .peak = peak_,
            .clipped_fraction = static_cast<double>(clipped_) / (samples * header_.channels),
            .silent = !first_sound_,
            .leading_silence = duration(leading),
            .trailing_silence = duration(trailing),
            .non_finite = non_finite_};
  }

 private:
  Seconds duration(std::int64_t samples) const {
    return Seconds(static_cast<double>(samples) / static_cast<double>(header_.rate.value));
  }

  void see_mixed(float sample) {
    window_energy_ += static_cast<double>(sample) * static_cast<double>(sample);
    ++frames_;
    if (frames_ - window_begin_ == window_) {
      close_window();
    }
  }

  void close_window() {
    const auto length = static_cast<double>(frames_ - window_begin_);
    if (window_energy_ > kSilenceLevel * kSilenceLevel * length) {
      first_sound_ = first_sound_.value_or(window_begin_);
      end_of_sound_ = frames_;
    }
    window_energy_ = 0;
    window_begin_ = frames_;
  }

  AudioHeader header_;
  std::int64_t window_;  // samples
  float peak_ = 0;
  std::int64_t clipped_ = 0;
  std::int64_t non_finite_ = 0;
  double window_energy_ = 0;
  std::int64_t window_begin_ = 0;
  std::int64_t frames_ = 0;
  std::optional<std::int64_t> first_sound_;
  std::int64_t end_of_sound_ = 0;
  std::vector<float> mono_;
};

}  // namespace

Result<AudioFacts> inspect_audio(const AudioFile& file) {
  const Result<AudioSourcePtr> source = open_audio_source(file);
  if (!source) {
    return source.failure();
  }
  Inspection inspection(source.value()->header());
  std::vector<float> buffer;
  const Result<Done> read =
      read_promised(*source.value(), buffer, [&](std::span<float> interleaved) {
        return inspection.see(interleaved);
      });
  if (!read) {
    return read.failure();
  }
  return inspection.facts();
}

Result<AudioFacts> inspect_audio(const std::filesystem::path& path) {
  const Result<AudioFile> file = open_audio_file(path);
  Result<AudioFacts> facts = file ? inspect_audio(file.value()) : file.failure();
  if (!facts) {
    return to_failure(msg::set_refused{.file = path.string(), .why = reason_of(facts.failure())});
  }
  return facts;
}

}  // namespace qanat
