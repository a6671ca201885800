// The tables against the transforms they stand for, computed term by term in double precision.
#include "export/spectrum_tables.h"

#include <cmath>
#include <complex>
#include <numbers>

#include <gmock/gmock.h>

namespace qanat {
namespace {

std::vector<float> noise(std::int64_t count) {
  std::vector<float> values;
  std::uint32_t state = 7;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    values.push_back(static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31F);
  }
  return values;
}

std::complex<double> bin_of(const std::vector<float>& samples, std::int64_t bin) {
  std::complex<double> sum = 0;
  const auto size = static_cast<std::int64_t>(samples.size());
  for (std::int64_t i = 0; i < size; ++i) {
    const double angle =
        -2 * std::numbers::pi * static_cast<double>(i * bin % size) / static_cast<double>(size);
    sum += static_cast<double>(samples[static_cast<std::size_t>(i)]) * std::polar(1.0, angle);
  }
  return sum;
}

double at(const Array& array, std::int64_t row, std::int64_t column) {
  return array.values[static_cast<std::size_t>(row * array.dims.back() + column)];
}

// One frame through both steps, as the nodes compute it: [rows, 2 * B].
std::vector<std::vector<double>> transform(const SpectrumSize& size,
                                           const std::vector<float>& frame,
                                           const std::vector<float>& window) {
  const Array first = forward_convolution(size, window);
  const Array second = second_transform(size);
  const std::int64_t b = size.inner();
  std::vector<std::vector<double>> spectrum;
  for (std::int64_t row = 0; row < size.rows(); ++row) {
    std::vector<double> inner(static_cast<std::size_t>(2 * b), 0.0);
    for (std::int64_t part = 0; part < 2; ++part) {
      for (std::int64_t place = 0; place < b; ++place) {
        for (std::int64_t i = 0; i < size.outer(); ++i) {
          inner[static_cast<std::size_t>(part * b + place)] +=
              at(first, (place * size.rows() + row) * 2 + part, i) *
              static_cast<double>(frame[static_cast<std::size_t>(b * i + place)]);
        }
      }
    }
    std::vector<double> outer;
    for (std::int64_t out = 0; out < 2 * b; ++out) {
      double sum = 0;
      for (std::int64_t in = 0; in < 2 * b; ++in) {
        sum += at(second, row * 2 * b + out, in) * inner[static_cast<std::size_t>(in)];
      }
      outer.push_back(sum);
    }
    spectrum.push_back(outer);
  }
  return spectrum;
}

class SpectrumTablesTest : public testing::TestWithParam<SpectrumSize> {};

// Rounding of the tables: 2^-24 for each of the points.
TEST_P(SpectrumTablesTest, TransformsAsTheDefinitionDoes) {
  const SpectrumSize size = GetParam();
  const std::vector<float> window = hann_in(size.fft_size, size.fft_size);
  std::vector<float> frame = noise(size.fft_size);

  const std::vector<std::vector<double>> spectrum = transform(size, frame, window);

  const SpectrumPlaces places = spectrum_places(size);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    frame[i] *= window[i];
  }
  const std::int64_t b = size.inner();
  for (std::int64_t row = 0; row < size.rows(); ++row) {
    for (std::int64_t i = 0; i < b; ++i) {
      const auto place = static_cast<std::size_t>(row * b + i);
      const std::complex<double> expected = bin_of(frame, places.bins[place]);
      const std::vector<double>& values = spectrum[static_cast<std::size_t>(row)];
      ASSERT_NEAR(values[static_cast<std::size_t>(i)], expected.real(), 1e-4);
      ASSERT_NEAR(values[static_cast<std::size_t>(b + i)],
                  expected.imag() * static_cast<double>(places.signs[place]),
                  1e-4);
    }
  }
}

TEST_P(SpectrumTablesTest, TheWayBackGivesTheFrameUnderTheWindow) {
  const SpectrumSize size = GetParam();
  const std::vector<float> window = hann_in(size.fft_size, size.fft_size);
  const std::vector<float> flat(window.size(), 1.0F);
  const std::vector<float> frame = noise(size.fft_size);
  const std::int64_t b = size.inner();
  const Array last = inverse_convolution(size, window);
  const Array second = second_transform(size);

  const std::vector<std::vector<double>> spectrum = transform(size, frame, flat);

  for (std::int64_t place = 0; place < b; ++place) {
    for (std::int64_t i = 0; i < size.outer(); ++i) {
      double sample = 0;
      for (std::int64_t row = 0; row < size.rows(); ++row) {
        for (std::int64_t part = 0; part < 2; ++part) {
          double inner = 0;
          for (std::int64_t in = 0; in < 2 * b; ++in) {
            inner += at(second, row * 2 * b + in, part * b + place) *
                     spectrum[static_cast<std::size_t>(row)][static_cast<std::size_t>(in)];
          }
          sample += at(last, (place * size.rows() + row) * 2 + part, i) * inner;
        }
      }
      const auto index = static_cast<std::size_t>(b * i + place);
      ASSERT_NEAR(sample, static_cast<double>(frame[index] * window[index]), 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes,
                         SpectrumTablesTest,
                         testing::Values(SpectrumSize{.fft_size = 1024, .hop = 256},
                                         SpectrumSize{.fft_size = 512, .hop = 128},
                                         SpectrumSize{.fft_size = 64, .hop = 32},
                                         SpectrumSize{.fft_size = 16, .hop = 4}));

}  // namespace
}  // namespace qanat
