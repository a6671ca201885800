#include "evaluate/pair_measures.h"

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "evaluate/time_warp.h"

namespace qanat {
namespace {

constexpr double kCentsPerOctave = 1200;

double decibels(double cepstral_distance) {
  return 10 / std::numbers::ln10 * std::numbers::sqrt2 * cepstral_distance;
}

double cepstral_distance(const Frames& reference,
                         const Frames& made,
                         std::span<const FramePair> path) {
  double sum = 0;
  for (const FramePair& pair : path) {
    double square = 0;
    for (std::size_t k = 0; k < reference.size; ++k) {
      const double difference = reference.values[pair.left * reference.size + k] -
                                made.values[pair.right * made.size + k];
      square += difference * difference;
    }
    sum += std::sqrt(square);
  }
  return sum / static_cast<double>(path.size());
}

void compare_pitch(std::span<const double> reference,
                   std::span<const double> made,
                   std::span<const FramePair> path,
                   PairMeasures& measures) {
  double hertz = 0;
  double cents = 0;
  std::size_t both = 0;
  std::size_t one = 0;
  for (const FramePair& pair : path) {
    const double a = reference[pair.left];
    const double b = made[pair.right];
    one += (a > 0) != (b > 0) ? 1 : 0;
    if (a > 0 && b > 0) {
      const double interval = kCentsPerOctave * std::log2(b / a);
      hertz += (b - a) * (b - a);
      cents += interval * interval;
      ++both;
    }
  }
  measures.voicing_error = static_cast<double>(one) / static_cast<double>(path.size());
  if (both > 0) {
    measures.pitch_hertz = std::sqrt(hertz / static_cast<double>(both));
    measures.pitch_cents = std::sqrt(cents / static_cast<double>(both));
  }
}

double log_mel_distance(const Frames& reference, const Frames& made) {
  const std::vector<FramePair> path = warp_path(reference, made);
  double sum = 0;
  for (const FramePair& pair : path) {
    const std::span<const double> a = reference.row(pair.left);
    const std::span<const double> b = made.row(pair.right);
    for (std::size_t k = 0; k < a.size(); ++k) {
      sum += std::abs(a[k] - b[k]);
    }
  }
  return sum / static_cast<double>(path.size() * reference.size);
}

}  // namespace

PairMeasures compare_clips(const ClipAnalysis& reference, const ClipAnalysis& made) {
  // Loudness does not steer the warp.
  const Frames left{.values = reference.cepstra, .size = kMelCepstrumSize, .skip = 1};
  const Frames right{.values = made.cepstra, .size = kMelCepstrumSize, .skip = 1};
  const std::vector<FramePair> path = warp_path(left, right);
  PairMeasures measures;
  measures.mcd = decibels(cepstral_distance(left, right, path));
  compare_pitch(reference.pitch, made.pitch, path, measures);
  measures.duration_error =
      std::abs(made.duration.count() - reference.duration.count()) / reference.duration.count();
  measures.log_mel = log_mel_distance({.values = reference.log_mel, .size = reference.mel_bins},
                                      {.values = made.log_mel, .size = made.mel_bins});
  return measures;
}

}  // namespace qanat
