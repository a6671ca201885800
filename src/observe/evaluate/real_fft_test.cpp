#include "evaluate/real_fft.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace qanat {
namespace {

using FftComplex = std::complex<double>;

std::vector<double> some_signal(std::size_t size) {
  std::vector<double> signal(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto t = static_cast<double>(i);
    signal[i] = std::sin(0.3 * t) + 0.1 * std::cos(1.7 * t * t);
  }
  return signal;
}

FftComplex slow_bin(const std::vector<double>& signal, std::size_t bin) {
  FftComplex sum = 0;
  for (std::size_t i = 0; i < signal.size(); ++i) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(i * bin % signal.size()) /
                         static_cast<double>(signal.size());
    sum += signal[i] * FftComplex(std::cos(angle), std::sin(angle));
  }
  return sum;
}

class RealFftTest : public testing::TestWithParam<std::size_t> {};

TEST_P(RealFftTest, BinsAreTheSumsThatDefineThem) {
  RealFft fft(GetParam());
  const std::vector<double> signal = some_signal(GetParam());
  std::vector<FftComplex> spectrum(GetParam() / 2 + 1);

  fft.forward(signal, spectrum);

  double error = 0;
  for (std::size_t k = 0; k < spectrum.size(); ++k) {
    error = std::max(error, std::abs(spectrum[k] - slow_bin(signal, k)));
  }
  EXPECT_LT(error, 1e-9);
}

TEST_P(RealFftTest, TheInverseUndoesIt) {
  RealFft fft(GetParam());
  const std::vector<double> signal = some_signal(GetParam());
  std::vector<FftComplex> spectrum(GetParam() / 2 + 1);
  std::vector<double> again(GetParam());

  fft.forward(signal, spectrum);
  fft.inverse(spectrum, again);

  double error = 0;
  for (std::size_t i = 0; i < signal.size(); ++i) {
    error = std::max(error, std::abs(signal[i] - again[i]));
  }
  EXPECT_LT(error, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Sizes, RealFftTest, testing::Values(4, 8, 64, 512, 2048));

TEST(RealFftShortTest, AShortSignalIsContinuedWithZeros) {
  RealFft fft(16);
  std::vector<FftComplex> spectrum(9);

  fft.forward(std::vector<double>{1, 2, 3}, spectrum);

  EXPECT_NEAR(spectrum[0].real(), 6, 1e-12);
  EXPECT_NEAR(spectrum[8].real(), 2, 1e-12);
}

TEST(RealFftShortTest, APowerOfTwoIsFollowedByTheNext) {
  EXPECT_EQ(power_of_two_above(7), 8U);
  EXPECT_EQ(power_of_two_above(8), 16U);
}

}  // namespace
}  // namespace qanat
