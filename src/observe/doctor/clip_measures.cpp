#include "doctor/clip_measures.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "audio/audio_source.h"
#include "audio/sample_format.h"
#include "doctor/low_frequencies.h"

namespace qanat {
namespace {

constexpr int kBands = 64;
constexpr float kSilentDb = -60;
constexpr double kFloorDb = -120;
constexpr float kNeperToDb = 8.685889638F;  // 20 / ln(10)

float to_db(double energy) {
  return static_cast<float>(std::max(10 * std::log10(std::max(energy, 1e-12)), kFloorDb));
}

// The value that `share` of them do not reach; reorders them.
float reached_by(std::span<float> values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

MelConfig bands_at(SampleRate rate) {
  const int size = rate.value <= 12000 ? 512 : rate.value <= 24000 ? 1024 : 2048;
  return {.sample_rate = rate,
          .fft_size = size,
          .hop = size / 2,
          .window = size,
          .mel_bins = kBands,
          .fmin = 0,
          .fmax = static_cast<float>(rate.value) / 2,
          .log_floor = 1e-7F,
          .norm = MelNorm::slaney,
          .magnitude_floor = 1e-14F};  // what codecs leave empty lies below the usual one
}

// Slaney's scale, as the bands are laid out.
double hertz_of_mel(double mel) {
  constexpr double kLinear = 200.0 / 3;
  constexpr double kKnee = 15;
  return mel < kKnee ? mel * kLinear : 1000 * std::exp((mel - kKnee) * std::log(6.4) / 27);
}
double mel_of_hertz(double hertz) {
  return hertz < 1000 ? hertz * 3 / 200 : 15 + 27 * std::log(hertz / 1000) / std::log(6.4);
}
double middle_of_band(std::size_t band, SampleRate rate) {
  const double top = mel_of_hertz(static_cast<double>(rate.value) / 2);
  return hertz_of_mel(top * static_cast<double>(band + 1) / (kBands + 1));
}

// Samples that stand still at the top: two of a wave may, by chance.
double flat_share(std::span<const float> samples, double peak) {
  constexpr std::int64_t kMinRun = 3;
  if (peak <= 0) {
    return 0;
  }
  const auto top = static_cast<float>(0.998 * peak);
  std::int64_t flat = 0;
  std::int64_t run = 0;
  bool is_above = true;
  for (const float sample : samples) {
    const bool is_top = std::fabs(sample) >= top;
    if (is_top && run > 0 && is_above == (sample > 0)) {
      ++run;
    } else {
      flat += run >= kMinRun ? run : 0;
      run = is_top ? 1 : 0;
      is_above = sample > 0;
    }
  }
  flat += run >= kMinRun ? run : 0;
  return static_cast<double>(flat) / static_cast<double>(samples.size());
}

}  // namespace

Result<ClipMeasures> ClipMeter::measure(const AudioFile& file,
                                        const std::optional<KeptPart>& kept) {
  const Result<AudioSourcePtr> source = open_audio_source(file);
  if (!source) {
    return source.failure();
  }
  const AudioHeader& header = source.value()->header();
  mono_.clear();
  const Result<Done> read =
      read_promised(*source.value(), interleaved_, [&](std::span<const float> some) {
        const std::size_t before = mono_.size();
        mono_.resize(before + some.size() / static_cast<std::size_t>(header.channels));
        const std::span<float> added = std::span(mono_).subspan(before);
        mix_down(some, header.channels, added);
        return check_magnitude(added);
      });
  if (!read) {
    return read.failure();
  }
  std::span<const float> samples = mono_;
  if (kept) {
    const auto at = [&](Seconds time) {
      const double place = std::round(time.count() * static_cast<double>(header.rate.value));
      return std::min(static_cast<std::size_t>(place), mono_.size());
    };
    samples = samples.subspan(at(kept->from), at(kept->to) - at(kept->from));
  }
  ClipMeasures found = measure(samples, header.rate);
  found.channels = header.channels;
  return found;
}

ClipMeasures ClipMeter::measure(std::span<const float> samples, SampleRate rate) {
  ClipMeasures found{.rate = rate};
  found.length = Seconds(static_cast<double>(samples.size()) / static_cast<double>(rate.value));
  if (samples.empty()) {
    found.is_silent = true;
    return found;
  }
  measure_levels(samples, found);
  if (found.is_silent) {
    return found;
  }
  measure_ends(samples, found);
  measure_spectrum(samples, found);
  measure_low(samples, found);
  return found;
}

void ClipMeter::measure_levels(std::span<const float> samples, ClipMeasures& found) {
  const auto window = static_cast<std::size_t>(std::max<std::int64_t>(found.rate.value / 100, 1));
  levels_.clear();
  double sum = 0;
  float peak = 0;
  for (std::size_t begin = 0; begin < samples.size(); begin += window) {
    const std::span<const float> some =
        samples.subspan(begin, std::min(window, samples.size() - begin));
    float energy = 0;
    float total = 0;
    for (const float sample : some) {
      energy += sample * sample;
      total += sample;
      peak = std::max(peak, std::fabs(sample));
    }
    sum += double{total};
    levels_.push_back(to_db(double{energy} / static_cast<double>(some.size())));
  }
  found.peak = double{peak};
  found.dc = sum / static_cast<double>(samples.size());
  found.flat_share = flat_share(samples, found.peak);
  found.is_silent = std::ranges::max(levels_) < kSilentDb;
  column_ = levels_;
  std::erase_if(column_, [](float level) { return level < -90; });  // digital silence tells nothing
  if (!column_.empty()) {
    found.speech_db = double{reached_by(column_, 0.9)};
    found.floor_db = double{reached_by(column_, 0.1)};
  }
}

// Silence is what lies far below the speech of the same clip and hardly above its noise.
void ClipMeter::measure_ends(std::span<const float> samples, ClipMeasures& found) const {
  const double quiet =
      std::min(std::max({found.floor_db + 6, found.speech_db - 40, -60.0}), found.speech_db - 18);
  const auto is_sound = [quiet](float level) { return double{level} > quiet; };
  const auto first = std::ranges::find_if(levels_, is_sound);
  if (first == levels_.end()) {
    found.is_silent = true;
    return;
  }
  auto last = levels_.end();
  while (!is_sound(*std::prev(last))) {
    --last;
  }
  constexpr double kFrame = 0.01;
  found.leading = Seconds(kFrame * static_cast<double>(first - levels_.begin()));
  found.trailing = Seconds(kFrame * static_cast<double>(levels_.end() - last));
  found.sounding = found.length - found.leading - found.trailing;
  std::ptrdiff_t longest = 0;
  for (auto one = first; one != last;) {
    const auto end = std::find_if(one, last, is_sound);
    longest = std::max(longest, end - one);
    one = end == last ? last : std::next(end);
  }
  found.pause = Seconds(kFrame * static_cast<double>(longest));
  const auto edge =
      std::min(static_cast<std::size_t>(found.rate.value * 15 / 1000), samples.size());
  const auto level = [&](std::span<const float> some) {
    const double energy = std::transform_reduce(
        some.begin(), some.end(), 0.0, std::plus{}, [](float x) { return double{x} * double{x}; });
    return double{to_db(energy / static_cast<double>(std::max<std::size_t>(some.size(), 1)))};
  };
  found.first_db = level(samples.first(edge)) - found.speech_db;
  found.last_db = level(samples.last(edge)) - found.speech_db;
}

void ClipMeter::measure_spectrum(std::span<const float> samples, ClipMeasures& found) {
  const auto place = extractors_.find(found.rate.value);
  MelExtractor& extractor =
      place != extractors_.end()
          ? place->second
          : extractors_.emplace(found.rate.value, MelExtractor(bands_at(found.rate))).first->second;
  const MelConfig& config = extractor.config();
  const SampleCount count{static_cast<std::int64_t>(samples.size())};
  frames_ = static_cast<std::size_t>(mel_frames(count, config).value);
  frame_seconds_ = static_cast<double>(config.hop) / static_cast<double>(found.rate.value);
  found.bandwidth = static_cast<double>(found.rate.value) / 2;
  if (frames_ < 4) {
    return;
  }
  cells_.resize(frames_ * kBands);
  extractor.extract(samples, cells_);
  for (float& cell : cells_) {
    cell *= kNeperToDb;
  }
  measure_bands(found);
  double contrast = 0;
  std::size_t bands = 0;
  for (std::size_t band = 0; band < kBands; ++band) {
    const double hertz = middle_of_band(band, found.rate);
    if (hertz > 200 && hertz < 3800) {
      contrast += double{band_loud_[band] - band_quiet_[band]};
      ++bands;
    }
  }
  found.contrast_db = bands == 0 ? 0 : contrast / static_cast<double>(bands);
  measure_bandwidth(found);
  measure_quietest(found);
  measure_color(found);
  measure_fingerprint(found);
}

// Within the sound: what lies before and after it is of its cut, not of its recording.
void ClipMeter::measure_bands(const ClipMeasures& found) {
  const auto frame_of = [this](Seconds at) {
    return std::min(static_cast<std::size_t>(at.count() / frame_seconds_), frames_ - 1);
  };
  first_sound_ = frame_of(found.leading);
  end_of_sound_ = std::max(frame_of(found.length - found.trailing), first_sound_ + 1);
  band_loud_.resize(kBands);
  band_quiet_.resize(kBands);
  band_peak_.resize(kBands);
  for (std::size_t band = 0; band < kBands; ++band) {
    column_.clear();
    for (std::size_t frame = first_sound_; frame < end_of_sound_; ++frame) {
      column_.push_back(cells_[frame * kBands + band]);
    }
    band_quiet_[band] = reached_by(column_, 0.1);
    band_loud_[band] = reached_by(column_, 0.9);
    band_peak_[band] = reached_by(column_, 0.98);
  }
}

// The end of the highest band that ever rises near the loudest one.
void ClipMeter::measure_bandwidth(ClipMeasures& found) const {
  constexpr float kHeard = 62;  // dB below the loudest band
  const float loudest = std::ranges::max(band_peak_);
  std::size_t top = kBands - 1;
  while (top > 0 && band_peak_[top] < loudest - kHeard) {
    --top;
  }
  found.bandwidth = top + 1 == kBands ? static_cast<double>(found.rate.value) / 2
                                      : middle_of_band(top, found.rate);
  constexpr std::size_t kStep = 3;  // bands that the slope of a filter may take
  for (std::size_t band = kBands / 4; band + kStep < kBands; ++band) {
    const double fall = double{band_peak_[band] - band_peak_[band + kStep]};
    if (fall > found.cliff_db) {
      found.cliff_db = fall;
    }
  }
}

// Lossy codecs leave out what is not heard, and what was stored at a lower rate holds nothing
// above: there lies less than the noise of any microphone.
void ClipMeter::measure_quietest(ClipMeasures& found) const {
  const double top = std::min(found.bandwidth * 0.93, 10000.0);
  found.quietest_db = 0;
  for (std::size_t band = 1; band + 1 < kBands; ++band) {
    const double hertz = middle_of_band(band, found.rate);
    if (hertz < 3000 || hertz > top) {
      continue;
    }
    for (std::size_t frame = first_sound_; frame < end_of_sound_; ++frame) {
      found.quietest_db = std::min(found.quietest_db, double{cells_[frame * kBands + band]});
    }
  }
}

void ClipMeter::measure_color(ClipMeasures& found) const {
  constexpr double kLow = 150;
  constexpr double kHigh = 3800;  // every rate that speech is recorded at has these
  const double from = mel_of_hertz(kLow);
  const double to = mel_of_hertz(kHigh);
  const double top = mel_of_hertz(static_cast<double>(found.rate.value) / 2);
  std::array<double, kColorBands> sums{};
  std::array<int, kColorBands> counts{};
  std::size_t loud = 0;
  for (std::size_t frame = 0; frame < frames_; ++frame) {
    const std::span<const float> row = std::span(cells_).subspan(frame * kBands, kBands);
    const auto level =
        static_cast<std::size_t>(std::min(static_cast<double>(frame) * frame_seconds_ / 0.01 + 1,
                                          static_cast<double>(levels_.size() - 1)));
    if (double{levels_[level]} < found.speech_db - 15) {
      continue;
    }
    ++loud;
    for (std::size_t band = 0; band < kBands; ++band) {
      const double mel = top * static_cast<double>(band + 1) / (kBands + 1);
      if (mel >= from && mel < to) {
        const auto at = static_cast<std::size_t>((mel - from) / (to - from) * kColorBands);
        sums.at(at) += double{row[band]};
        ++counts.at(at);
      }
    }
  }
  constexpr std::size_t kMinLoud = 8;
  if (loud < kMinLoud || std::ranges::min(counts) == 0) {
    return;
  }
  std::array<float, kColorBands> color{};
  double mean = 0;
  for (std::size_t i = 0; i < kColorBands; ++i) {
    color.at(i) = static_cast<float>(sums.at(i) / counts.at(i));
    mean += double{color.at(i)} / kColorBands;
  }
  for (float& one : color) {
    one -= static_cast<float>(mean);
  }
  found.color = color;
}

// Signs of how the shape of the spectrum changes from one part of the sound to the next: the same
// after another codec, another level or another cut of the silence.
void ClipMeter::measure_fingerprint(ClipMeasures& found) const {
  constexpr std::size_t kParts = 33;
  constexpr std::size_t kShapes = 16;
  const double begin = found.leading.count() / frame_seconds_;
  const double span = found.sounding.count() / frame_seconds_ / kParts;
  std::array<std::array<double, kShapes + 1>, kParts> means{};
  for (std::size_t part = 0; part < kParts; ++part) {
    const auto first = static_cast<std::size_t>(begin + span * static_cast<double>(part));
    const auto last =
        std::max(first + 1, static_cast<std::size_t>(begin + span * static_cast<double>(part + 1)));
    for (std::size_t frame = first; frame < std::min(last, frames_); ++frame) {
      for (std::size_t shape = 0; shape <= kShapes; ++shape) {
        // Bands up to 4 kHz or so: others may be lost.
        means.at(part).at(shape) += double{cells_[frame * kBands + 2 + shape * 2]};
      }
    }
    const auto frames = static_cast<double>(std::max<std::size_t>(last - first, 1));
    for (double& one : means.at(part)) {
      one /= frames;
    }
  }
  std::size_t bit = 0;
  for (std::size_t part = 0; part + 1 < kParts; ++part) {
    for (std::size_t shape = 0; shape < kShapes; ++shape, ++bit) {
      const double here = means.at(part).at(shape + 1) - means.at(part).at(shape);
      const double next = means.at(part + 1).at(shape + 1) - means.at(part + 1).at(shape);
      if (next > here) {
        found.fingerprint.at(bit / 64) |= std::uint64_t{1} << (bit % 64);
      }
    }
  }
}

void ClipMeter::measure_low(std::span<const float> samples, ClipMeasures& found) {
  const LowFrequencies low = measure_low_frequencies(samples, found.rate, low_);
  found.pitch = low.pitch;
  found.hum_hz = low.hum_hz;
  found.hum_db = low.hum_db;
}

}  // namespace qanat
