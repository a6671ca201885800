#include "evaluate/real_fft.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace qanat {

using Complex = std::complex<double>;

std::size_t power_of_two_above(std::size_t count) {
  return std::bit_floor(count) * 2;
}

RealFft::RealFft(std::size_t size)
    : size_(size), factors_(size / 2), reversed_(size / 2), work_(size / 2) {
  QANAT_CHECK(std::has_single_bit(size) && size >= 4) << "size " << size;
  for (std::size_t k = 0; k < factors_.size(); ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
    factors_[k] = {std::cos(angle), std::sin(angle)};
  }
  for (std::size_t k = 1; k < reversed_.size(); ++k) {
    const std::size_t last_bit = k % 2 == 1 ? reversed_.size() / 2 : 0;
    reversed_[k] = static_cast<std::uint32_t>(reversed_[k / 2] / 2 + last_bit);
  }
}

// In place over work_, half as long as the signal: even samples are its real parts.
void RealFft::transform() {
  const std::size_t count = work_.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (k < reversed_[k]) {
      std::swap(work_[k], work_[reversed_[k]]);
    }
  }
  for (std::size_t half = 1; half < count; half *= 2) {
    const std::size_t stride = size_ / (2 * half);
    for (std::size_t begin = 0; begin < count; begin += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const Complex low = work_[begin + k];
        const Complex turned = product(factors_[k * stride], work_[begin + k + half]);
        work_[begin + k] = low + turned;
        work_[begin + k + half] = low - turned;
      }
    }
  }
}

void RealFft::forward(std::span<const double> signal, std::span<Complex> spectrum) {
  QANAT_CHECK(signal.size() <= size_ && spectrum.size() == size_ / 2 + 1)
      << signal.size() << " samples for " << size_;
  const auto sample = [&](std::size_t i) { return i < signal.size() ? signal[i] : 0.0; };
  const std::size_t count = work_.size();
  for (std::size_t k = 0; k < count; ++k) {
    work_[k] = {sample(2 * k), sample(2 * k + 1)};
  }
  transform();
  for (std::size_t k = 0; k <= count; ++k) {
    const Complex a = work_[k % count];
    const Complex b = std::conj(work_[(count - k) % count]);
    const Complex even = 0.5 * (a + b);
    const Complex odd(0.5 * (a.imag() - b.imag()), -0.5 * (a.real() - b.real()));
    spectrum[k] = even + product(k < count ? factors_[k] : Complex(-1), odd);
  }
}

void RealFft::inverse(std::span<const Complex> spectrum, std::span<double> signal) {
  QANAT_CHECK(spectrum.size() == size_ / 2 + 1 && signal.size() == size_)
      << spectrum.size() << " bins for " << size_;
  const std::size_t count = work_.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Complex a = spectrum[k];
    const Complex b = std::conj(spectrum[count - k]);
    const Complex odd = product(0.5 * (a - b), std::conj(factors_[k]));
    // Conjugated, so that the forward transform goes backward.
    const Complex even = 0.5 * (a + b);
    work_[k] = {even.real() - odd.imag(), -even.imag() - odd.real()};
  }
  transform();
  const double scale = 1.0 / static_cast<double>(count);
  for (std::size_t k = 0; k < count; ++k) {
    signal[2 * k] = work_[k].real() * scale;
    signal[2 * k + 1] = -work_[k].imag() * scale;
  }
}

}  // namespace qanat
