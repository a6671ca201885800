#include "export/spectrum_tables.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace qanat {
namespace {

double turns(std::int64_t part, std::int64_t whole) {
  return 2.0 * std::numbers::pi * static_cast<double>(part % whole) / static_cast<double>(whole);
}

// [B * rows * 2, 1, A]: of each place the cosines and negative sines of the frequencies, under the
// window and times `scale(frequency)`.
template <typename Scale>
Array first_transform(const SpectrumSize& size, const std::vector<float>& window, Scale&& scale) {
  const std::int64_t a = size.outer();
  const std::int64_t b = size.inner();
  Array array{.dims = {b * size.rows() * 2, 1, a}, .values = {}};
  for (std::int64_t place = 0; place < b; ++place) {
    for (std::int64_t frequency = 0; frequency < size.rows(); ++frequency) {
      for (const bool imaginary : {false, true}) {
        for (std::int64_t i = 0; i < a; ++i) {
          const double angle = turns(i * frequency, a);
          const double wave = imaginary ? -std::sin(angle) : std::cos(angle);
          const double under = window[static_cast<std::size_t>(b * i + place)];
          array.values.push_back(static_cast<float>(wave * under * scale(frequency)));
        }
      }
    }
  }
  return array;
}

}  // namespace

std::int64_t SpectrumSize::inner() const {
  std::int64_t best = 1;
  for (std::int64_t b = 2; b * b <= fft_size; b *= 2) {
    if (hop % b == 0 && lead() % b == 0) {
      best = b;
    }
  }
  return best;
}

SpectrumPlaces spectrum_places(const SpectrumSize& size) {
  SpectrumPlaces places;
  for (std::int64_t row = 0; row < size.rows(); ++row) {
    for (std::int64_t i = 0; i < size.inner(); ++i) {
      const std::int64_t bin = row + size.outer() * i;
      const bool is_conjugate = bin > size.fft_size / 2;
      places.bins.push_back(is_conjugate ? size.fft_size - bin : bin);
      places.signs.push_back(is_conjugate ? -1.0F : 1.0F);
    }
  }
  return places;
}

Array forward_convolution(const SpectrumSize& size, const std::vector<float>& window) {
  return first_transform(size, window, [](std::int64_t) { return 1.0; });
}

Array inverse_convolution(const SpectrumSize& size, const std::vector<float>& window) {
  return first_transform(size, window, [&](std::int64_t frequency) {
    const bool is_own_conjugate = frequency == 0 || 2 * frequency == size.outer();
    return (is_own_conjugate ? 1.0 : 2.0) / static_cast<double>(size.fft_size);
  });
}

Array second_transform(const SpectrumSize& size) {
  const std::int64_t b = size.inner();
  Array array{.dims = {size.rows(), 2 * b, 2 * b}, .values = {}};
  for (std::int64_t row = 0; row < size.rows(); ++row) {
    for (std::int64_t out = 0; out < 2 * b; ++out) {
      for (std::int64_t in = 0; in < 2 * b; ++in) {
        const std::int64_t place = in % b;
        const double angle = turns(place * (row + size.outer() * (out % b)), size.fft_size);
        const bool real_out = out < b;
        const bool real_in = in < b;
        const double value = real_out == real_in ? std::cos(angle)
                             : real_out          ? std::sin(angle)
                                                 : -std::sin(angle);
        array.values.push_back(static_cast<float>(value));
      }
    }
  }
  return array;
}

Array square_window(const SpectrumSize& size, const std::vector<float>& window) {
  Array array{.dims = {1, size.inner(), size.outer()}, .values = {}};
  for (std::int64_t place = 0; place < size.inner(); ++place) {
    for (std::int64_t i = 0; i < size.outer(); ++i) {
      const float value = window[static_cast<std::size_t>(size.inner() * i + place)];
      array.values.push_back(value * value);
    }
  }
  return array;
}

std::vector<float> hann_in(std::int64_t fft_size, std::int64_t window) {
  std::vector<float> values(static_cast<std::size_t>(fft_size), 0.0F);
  const std::int64_t offset = (fft_size - window) / 2;
  for (std::int64_t i = 0; i < window; ++i) {
    values[static_cast<std::size_t>(offset + i)] =
        static_cast<float>(0.5 - 0.5 * std::cos(turns(i, window)));
  }
  return values;
}

SpectrumWriter::SpectrumWriter(GraphBuilder& graph,
                               const SpectrumSize& size,
                               const std::vector<float>& window)
    : graph_(graph), size_(size) {
  cut_ = graph.table(forward_convolution(size, window));
  turn_ = graph.table(second_transform(size));
  turn_back_ = graph.transpose(turn_, {0, 2, 1});
  add_up_ = graph.table(inverse_convolution(size, window));
  square_ = graph.table(square_window(size, window));
}

GraphValue SpectrumWriter::spectrum(GraphBuilder& graph, const GraphValue& signal) const {
  const std::int64_t b = size_.inner();
  const GraphValue cut =
      graph.op("Conv", {signal, cut_}, {{"strides", Dims{size_.hop / b}}, {"group", b}});
  const GraphValue apart = graph.reshape(cut, {b, size_.rows(), 2, -1});
  const GraphValue sorted = graph.transpose(apart, {1, 2, 0, 3});
  return graph.product(turn_, graph.reshape(sorted, {size_.rows(), 2 * b, -1}));
}

GraphValue SpectrumWriter::overlapped(GraphBuilder& graph, const GraphValue& spectrum) const {
  const std::int64_t b = size_.inner();
  const GraphValue turned = graph.product(turn_back_, spectrum);
  const GraphValue apart = graph.reshape(turned, {size_.rows(), 2, b, -1});
  const GraphValue sorted = graph.transpose(apart, {2, 0, 1, 3});
  const GraphValue frames = graph.reshape(sorted, {1, b * size_.rows() * 2, -1});
  return graph.op(
      "ConvTranspose", {frames, add_up_}, {{"strides", Dims{size_.hop / b}}, {"group", b}});
}

GraphValue SpectrumWriter::gain(const GraphValue& frames, float smallest) const {
  const GraphValue ones =
      graph_.op("Expand", {graph_.number(1), graph_.join({graph_.wholes({1, 1}), frames}, 0)});
  const GraphValue sum =
      graph_.op("ConvTranspose", {ones, square_}, {{"strides", Dims{size_.hop / size_.inner()}}});
  return graph_.op("Reciprocal", {graph_.op("Max", {sum, graph_.number(smallest)})});
}

}  // namespace qanat
