// A Fourier transform of real signals in double precision, of any power of two.
//
// The one of features/ is single precision, many frames at a time and at most 2^16 points; finding
// a pitch needs the whole clip at once. Owns its tables and scratch: one per thread.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qanat {

class RealFft {
 public:
  // `size`: a power of two, at least 4.
  explicit RealFft(std::size_t size);

  std::size_t size() const { return size_; }

  // [size] to [size / 2 + 1]. Signals shorter than `size` are continued with zeros.
  void forward(std::span<const double> signal, std::span<std::complex<double>> spectrum);
  // [size / 2 + 1] to [size], scaled so that it undoes forward().
  void inverse(std::span<const std::complex<double>> spectrum, std::span<double> signal);

 private:
  void transform();

  std::size_t size_;
  std::vector<std::complex<double>> factors_;  // exp(-2 pi i k / size), k < size / 2
  std::vector<std::uint32_t> reversed_;
  std::vector<std::complex<double>> work_;  // [size / 2]
};

// Without the care that std::complex takes of infinities, which costs more than the product.
inline std::complex<double> product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// The smallest power of two above `count`.
std::size_t power_of_two_above(std::size_t count);

}  // namespace qanat
