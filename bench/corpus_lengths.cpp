#include "corpus_lengths.h"

#include <cmath>
#include <numeric>
#include <random>

namespace qanat {
namespace {

constexpr double kHop = 256;

// std::uniform_real_distribution may differ between libraries; this does not.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

// Rejection from the beta(1.86, 1.2) density, which has LJSpeech's mean and spread on its range.
double unit_length(std::mt19937_64& random) {
  constexpr double kPeak = 0.82;  // of x^0.86 (1-x)^0.2, at x = 0.86 / 1.06
  for (;;) {
    const double x = uniform(random);
    if (uniform(random) * kPeak < std::pow(x, 0.86) * std::pow(1 - x, 0.2)) {
      return x;
    }
  }
}

}  // namespace

std::vector<std::int64_t> ljspeech_like_lengths(std::size_t count,
                                                double mean_frames,
                                                std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> seconds(count);
  for (double& one : seconds) {
    one = 1.11 + 8.99 * unit_length(random);
  }
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(count);
  std::vector<std::int64_t> samples;
  samples.reserve(count);
  for (const double one : seconds) {
    // Half a frame more: frames are counted with floor().
    samples.push_back(std::llround(one / mean * mean_frames * kHop + kHop / 2));
  }
  return samples;
}

}  // namespace qanat
