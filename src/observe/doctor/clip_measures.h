// What the samples of one clip tell about how it was recorded, cut and stored. Figures only: which
// of them are faults depends on the rest of the set, and is for clip_rules.h to say.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "audio/audio_file.h"
#include "base/quantity.h"
#include "base/result.h"
#include "base/time.h"
#include "dataset/manifest.h"
#include "features/mel_extractor.h"

namespace qanat {

inline constexpr std::size_t kColorBands = 20;       // of the timbre of a voice
inline constexpr std::size_t kFingerprintWords = 8;  // of 64 bits

// Levels are in dB of full scale; shares are of samples, frames or cells. Absent: the clip does not
// hold what the figure is measured on.
struct ClipMeasures {
  Seconds length{0};
  SampleRate rate{0};
  int channels = 1;

  double peak = 0;          // full scale is 1
  double flat_share = 0;    // samples that lie in a row at the clip's own peak
  double dc = 0;            // mean of the samples
  bool is_silent = false;   // nothing is louder than -60 dB
  double speech_db = -120;  // loud frames: the upper tenth
  double floor_db = -120;   // quiet frames: the lowest tenth
  double contrast_db = 0;   // between loud and quiet, in bands: little where there is noise
  Seconds leading{0};       // silence before the first sound
  Seconds trailing{0};      // and after the last
  Seconds pause{0};         // the longest between
  double first_db = -120;   // the first 15 ms, against loud frames
  double last_db = -120;    // and the last
  double bandwidth = 0;     // Hz: nothing is heard above
  double cliff_db = 0;      // how far the level falls there
  double quietest_db = 0;   // of the spectrum from 3 kHz to there, amid sound
  std::optional<double> hum_hz{};
  double hum_db = 0;                                      // above its surroundings
  std::optional<double> pitch{};                          // Hz, the median of voiced frames
  std::optional<std::array<float, kColorBands>> color{};  // log spectrum of loud frames, mean 0
  std::array<std::uint64_t, kFingerprintWords> fingerprint{};  // alike for the same sound
  Seconds sounding{0};                                         // without the silence at both ends
};

// Owns what is used again for every clip: one per thread.
class ClipMeter {
 public:
  // Reads the clip, or the part that is kept of it, at its own rate. What AudioDecoder refuses is a
  // Failure here, too.
  Result<ClipMeasures> measure(const AudioFile& file, const std::optional<KeptPart>& kept = {});
  // The same of samples in memory: one channel, finite.
  ClipMeasures measure(std::span<const float> samples, SampleRate rate);

 private:
  void measure_levels(std::span<const float> samples, ClipMeasures& found);
  void measure_ends(std::span<const float> samples, ClipMeasures& found) const;
  void measure_spectrum(std::span<const float> samples, ClipMeasures& found);
  void measure_bands(const ClipMeasures& found);
  void measure_bandwidth(ClipMeasures& found) const;
  void measure_quietest(ClipMeasures& found) const;
  void measure_color(ClipMeasures& found) const;
  void measure_fingerprint(ClipMeasures& found) const;
  void measure_low(std::span<const float> samples, ClipMeasures& found);

  std::map<std::int64_t, MelExtractor> extractors_;  // by rate
  std::vector<float> interleaved_;
  std::vector<float> mono_;
  std::vector<float> levels_;  // dB of every 10 ms
  std::vector<float> cells_;   // [frames, bands] dB
  std::vector<float> column_;
  std::vector<float> low_;       // the clip at about 4 kHz
  std::size_t frames_ = 0;       // of cells_
  std::size_t first_sound_ = 0;  // frame
  std::size_t end_of_sound_ = 0;
  double frame_seconds_ = 0;
  std::vector<float> band_loud_;   // dB that a tenth of the frames of a band exceed
  std::vector<float> band_quiet_;  // dB that a tenth does not reach
  std::vector<float> band_peak_;
};

}  // namespace qanat
