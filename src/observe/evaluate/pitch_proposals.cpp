#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>

#include "evaluate/pitch.h"
#include "evaluate/real_fft.h"

namespace qanat {
namespace {

using Spectrum = std::vector<std::complex<double>>;

constexpr double kLowCut = 50.0;  // Hz: rumble below would have crossings of its own
constexpr double kNoProposal = std::numeric_limits<double>::infinity();

// Frequencies between crossings, at the middle of each interval.
struct Crossings {
  std::vector<double> seconds;
  std::vector<double> hertz;
};

// Where a signal goes from above zero to zero or below; between samples it is a line.
Crossings falling_crossings(std::span<const double> signal, double rate) {
  Crossings result;
  double last = 0;
  bool has_last = false;
  for (std::size_t i = 0; i + 1 < signal.size(); ++i) {
    if (!(signal[i] > 0 && signal[i + 1] <= 0)) {
      continue;
    }
    // Samples are counted from one, as DIO counts them.
    const double here = static_cast<double>(i + 1) + signal[i] / (signal[i] - signal[i + 1]);
    if (has_last) {
      result.seconds.push_back((last + here) / 2 / rate);
      result.hertz.push_back(rate / (here - last));
    }
    last = here;
    has_last = true;
  }
  return result;
}

// Falling and rising through zero, and the same of the slope: peaks and dips.
std::array<Crossings, 4> four_crossings(std::vector<double> signal, double rate) {
  std::array<Crossings, 4> result;
  const auto negate = [&] {
    for (double& value : signal) {
      value = -value;
    }
  };
  result[0] = falling_crossings(signal, rate);
  negate();
  result[1] = falling_crossings(signal, rate);
  for (std::size_t i = 0; i + 1 < signal.size(); ++i) {
    signal[i] -= signal[i + 1];
  }
  signal.pop_back();
  result[2] = falling_crossings(signal, rate);
  negate();
  result[3] = falling_crossings(signal, rate);
  return result;
}

// The line through the two nearest intervals, in every frame; times ascend.
std::vector<double> in_frames(const Crossings& crossings,
                              std::size_t frames,
                              const PitchConfig& config) {
  std::vector<double> result(frames);
  std::size_t right = 1;
  for (std::size_t f = 0; f < frames; ++f) {
    const double time = pitch_frame_time(f, config);
    while (right + 1 < crossings.seconds.size() && crossings.seconds[right] <= time) {
      ++right;
    }
    const double begin = crossings.seconds[right - 1];
    const double share = (time - begin) / (crossings.seconds[right] - begin);
    result[f] = std::lerp(crossings.hertz[right - 1], crossings.hertz[right], share);
  }
  return result;
}

PitchProposals no_proposals(std::size_t frames) {
  return {.pitch = std::vector<double>(frames, 0.0),
          .spread = std::vector<double>(frames, kNoProposal)};
}

PitchProposals proposals(const std::array<Crossings, 4>& crossings,
                         double boundary,
                         std::size_t frames,
                         const PitchConfig& config) {
  PitchProposals result = no_proposals(frames);
  std::array<std::vector<double>, 4> values;
  for (std::size_t k = 0; k < crossings.size(); ++k) {
    if (crossings.at(k).hertz.size() < 3) {
      return result;
    }
    values.at(k) = in_frames(crossings.at(k), frames, config);
  }
  for (std::size_t f = 0; f < frames; ++f) {
    double mean = 0;
    for (const std::vector<double>& one : values) {
      mean += one[f] / 4;
    }
    double square = 0;
    for (const std::vector<double>& one : values) {
      square += (one[f] - mean) * (one[f] - mean);
    }
    if (mean <= std::min(boundary, config.ceiling) &&
        mean >= std::max(boundary / 2, config.floor)) {
      result.pitch[f] = mean;
      result.spread[f] = std::sqrt(square / 3) / mean;
    }
  }
  return result;
}

// One minus a Hann window of unit sum around time zero: what is faster than `cut` stays.
void cut_lows(RealFft& fft, double rate, Spectrum& spectrum) {
  const auto reach = static_cast<std::size_t>(std::lround(rate / kLowCut));
  std::vector<double> filter(fft.size(), 0.0);
  const auto weight = [&](std::size_t distance) {
    return 0.5 + 0.5 * std::cos(std::numbers::pi * static_cast<double>(distance) /
                                static_cast<double>(reach + 1));
  };
  double sum = weight(0);
  for (std::size_t d = 1; d <= reach; ++d) {
    sum += 2 * weight(d);
  }
  filter[0] = 1 - weight(0) / sum;
  for (std::size_t d = 1; d <= reach; ++d) {
    filter[d] = filter[fft.size() - d] = -weight(d) / sum;
  }
  Spectrum response(spectrum.size());
  fft.forward(filter, response);
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    spectrum[k] *= response[k].real();  // symmetric around zero: no phase
  }
}

// A Nuttall window of four half periods, which leaves little above `boundary`.
std::vector<double> low_pass_window(std::size_t half) {
  std::vector<double> window(half * 4);
  for (std::size_t i = 0; i < window.size(); ++i) {
    const double turn =
        2 * std::numbers::pi * static_cast<double>(i) / (static_cast<double>(window.size()) - 1);
    window[i] = 0.355768 - 0.487396 * std::cos(turn) + 0.144232 * std::cos(2 * turn) -
                0.012604 * std::cos(3 * turn);
  }
  return window;
}

// Everything that the filters share.
struct FilterBench {
  RealFft fft;
  Spectrum signal{};
  Spectrum filter{};
  std::vector<double> filtered{};
};

PitchProposals filter_proposals(FilterBench& bench,
                                double boundary,
                                std::size_t samples,
                                double rate,
                                const PitchConfig& config) {
  const auto half = static_cast<std::size_t>(std::lround(rate / boundary / 2));
  bench.fft.forward(low_pass_window(half), bench.filter);
  for (std::size_t k = 0; k < bench.filter.size(); ++k) {
    bench.filter[k] = product(bench.filter[k], bench.signal[k]);
  }
  bench.fft.inverse(bench.filter, bench.filtered);
  const auto begin = bench.filtered.begin() + static_cast<std::ptrdiff_t>(half * 2);
  const std::vector<double> delayed(begin, begin + static_cast<std::ptrdiff_t>(samples + 1));
  return proposals(four_crossings(delayed, rate),
                   boundary,
                   pitch_frames(samples, SampleRate{static_cast<std::int64_t>(rate)}, config),
                   config);
}

}  // namespace

std::size_t pitch_frames(std::size_t samples, SampleRate rate, const PitchConfig& config) {
  const double frames = 1000.0 * static_cast<double>(samples) / static_cast<double>(rate.value) /
                        (1000.0 * config.frame_period);
  return static_cast<std::size_t>(frames) + 1;
}

double pitch_frame_time(std::size_t frame, const PitchConfig& config) {
  return static_cast<double>(frame) * (1000.0 * config.frame_period) / 1000.0;
}

std::vector<double> coarse_pitch(std::span<const double> samples,
                                 SampleRate rate,
                                 const PitchConfig& config) {
  const auto hertz = static_cast<double>(rate.value);
  std::vector<double> boundaries;
  const double octaves = std::log2(config.ceiling / config.floor);
  const auto count = 1 + static_cast<std::size_t>(octaves * config.channels_per_octave);
  for (std::size_t i = 1; i <= count; ++i) {
    boundaries.push_back(config.floor *
                         std::exp2(static_cast<double>(i) / config.channels_per_octave));
  }
  // One zero more than the clip has, as DIO takes it, without its mean.
  std::vector<double> centred(samples.begin(), samples.end());
  centred.push_back(0.0);
  const double mean =
      std::accumulate(centred.begin(), centred.end(), 0.0) / static_cast<double>(centred.size());
  for (double& value : centred) {
    value -= mean;
  }
  const auto reach = static_cast<std::size_t>(2 * hertz / kLowCut) +
                     4 * static_cast<std::size_t>(1 + hertz / boundaries.front() / 2) + 2;
  FilterBench bench{.fft = RealFft(power_of_two_above(centred.size() + reach))};
  bench.signal.resize(bench.fft.size() / 2 + 1);
  bench.filter.resize(bench.signal.size());
  bench.filtered.resize(bench.fft.size());
  bench.fft.forward(centred, bench.signal);
  cut_lows(bench.fft, hertz, bench.signal);
  std::vector<PitchProposals> filters;
  filters.reserve(boundaries.size());
  for (const double boundary : boundaries) {
    filters.push_back(filter_proposals(bench, boundary, samples.size(), hertz, config));
  }
  return track_pitch(filters, config);
}

std::vector<double> estimate_pitch(std::span<const double> samples,
                                   SampleRate rate,
                                   const PitchConfig& config) {
  return refined_pitch(samples, rate, coarse_pitch(samples, rate, config), config);
}

}  // namespace qanat
