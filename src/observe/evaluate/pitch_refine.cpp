#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "evaluate/pitch.h"
#include "evaluate/real_fft.h"

namespace qanat {
namespace {

constexpr double kLowestRefined = 40.0;  // Hz
constexpr double kMaxCorrection = 0.2;   // of the coarse pitch

// A part of the clip under a Blackman window, and under that window's slope.
struct WindowedPart {
  std::vector<double> plain;
  std::vector<double> slope;
  std::size_t fft_size = 0;
  double rate = 0;
};

WindowedPart windowed_part(std::span<const double> samples,
                           double rate,
                           double centre,
                           double pitch) {
  const auto half = static_cast<std::int64_t>(1.5 * rate / pitch + 1);
  const auto length = static_cast<std::size_t>(2 * half + 1);
  const double duration = static_cast<double>(length) / rate;
  // Samples are counted from one here, and each is rounded to on its own, as WORLD does.
  std::vector<std::int64_t> places(length);
  std::vector<double> window(length);
  for (std::size_t i = 0; i < length; ++i) {
    const double offset = static_cast<double>(static_cast<std::int64_t>(i) - half) / rate;
    places[i] = static_cast<std::int64_t>(std::lround((centre + offset) * rate));
    const double time = (static_cast<double>(places[i]) - 1) / rate - centre;
    const double turn = 2 * std::numbers::pi * time / duration;
    window[i] = 0.42 + 0.5 * std::cos(turn) + 0.08 * std::cos(2 * turn);
  }
  WindowedPart part{.plain = std::vector<double>(length),
                    .slope = std::vector<double>(length),
                    .fft_size = 4 * std::bit_floor(length),
                    .rate = rate};
  const auto last = static_cast<std::int64_t>(samples.size()) - 1;
  for (std::size_t i = 0; i < length; ++i) {
    const std::int64_t at = std::clamp<std::int64_t>(places[i] - 1, 0, last);
    const double sample = samples[static_cast<std::size_t>(at)];
    const double before = i == 0 ? 0 : window[i - 1];
    const double after = i + 1 == length ? 0 : window[i + 1];
    part.plain[i] = sample * window[i];
    part.slope[i] = sample * (before - after) / 2;
  }
  return part;
}

struct Partial {
  double amplitude = 0;
  double hertz = 0;
};

// One bin of both spectra: a whole transform would compute thousands for the eight that count.
Partial partial_at(const WindowedPart& part, double hertz) {
  const auto size = static_cast<double>(part.fft_size);
  const double bin = std::min(std::floor(hertz * size / part.rate + 0.5), size / 2);
  const double angle = -2 * std::numbers::pi * bin / size;
  const std::complex<double> step(std::cos(angle), std::sin(angle));
  std::complex<double> turn = 1;
  std::complex<double> plain = 0;
  std::complex<double> slope = 0;
  for (std::size_t i = 0; i < part.plain.size(); ++i) {
    plain += part.plain[i] * turn;
    slope += part.slope[i] * turn;
    turn = product(turn, step);
  }
  const double power = std::norm(plain);
  if (power == 0) {
    return {};
  }
  const double offset = (plain.real() * slope.imag() - plain.imag() * slope.real()) / power;
  return {.amplitude = std::sqrt(power),
          .hertz = bin * part.rate / size + offset * part.rate / 2 / std::numbers::pi};
}

// The mean of what the first partials say, loud ones more.
double pitch_by_partials(const WindowedPart& part, double pitch, int count) {
  double sum = 0;
  double weight = 1e-12;
  for (int k = 1; k <= count; ++k) {
    const Partial partial = partial_at(part, pitch * k);
    sum += partial.amplitude * partial.hertz;
    weight += partial.amplitude * k;
  }
  return sum / weight;
}

double refine_frame(std::span<const double> samples, double rate, double centre, double pitch) {
  if (pitch <= kLowestRefined || pitch > rate / 12) {
    return 0;
  }
  const WindowedPart part = windowed_part(samples, rate, centre, pitch);
  const double rough = pitch_by_partials(part, pitch, 2);
  const double fine = rough <= 0 || rough > 2 * pitch ? 0 : pitch_by_partials(part, rough, 6);
  return std::abs(fine - pitch) > kMaxCorrection * pitch ? pitch : fine;
}

}  // namespace

std::vector<double> refined_pitch(std::span<const double> samples,
                                  SampleRate rate,
                                  std::span<const double> coarse,
                                  const PitchConfig& config) {
  std::vector<double> result(coarse.size(), 0.0);
  if (samples.empty()) {
    return result;
  }
  for (std::size_t f = 0; f < coarse.size(); ++f) {
    result[f] = refine_frame(
        samples, static_cast<double>(rate.value), pitch_frame_time(f, config), coarse[f]);
  }
  return result;
}

}  // namespace qanat
