// Short-time Fourier transforms as products with stored tables, since ONNX has no inverse one.
//
// A transform of A * B points is one of A points for each of B places, then one of B points for
// each of A / 2 + 1 frequencies: a tenth of the work of a single product. Cutting frames out of a
// signal, and adding them up again, is part of the first step: a convolution.
//
// A signal is [1, B, samples / B], sample B * i + j at (j, i). A spectrum is [A / 2 + 1, 2 * B,
// frames]: for each of the first A / 2 + 1 frequencies modulo A the real parts, then the imaginary
// parts. A few bins are in it twice, as conjugates.
#pragma once

#include <cstdint>
#include <vector>

#include "export/graph_builder.h"

namespace qanat {

struct SpectrumSize {
  std::int64_t fft_size = 1024;  // powers of two, both
  std::int64_t hop = 256;

  std::int64_t inner() const;  // B
  std::int64_t outer() const { return fft_size / inner(); }
  std::int64_t rows() const { return outer() / 2 + 1; }
  std::int64_t overlaps() const { return fft_size / hop; }
  std::int64_t lead() const { return (fft_size - hop) / 2; }  // samples before the first hop
};

// Where the bins of a plain spectrum go: one per value of half a spectrum, [rows * B].
struct SpectrumPlaces {
  std::vector<std::int64_t> bins;
  std::vector<float> signs;  // of the imaginary parts: -1 where the bin is a conjugate
};
SpectrumPlaces spectrum_places(const SpectrumSize& size);

Array forward_convolution(const SpectrumSize& size, const std::vector<float>& window);
Array inverse_convolution(const SpectrumSize& size, const std::vector<float>& window);
Array second_transform(const SpectrumSize& size);  // [rows, 2 * B, 2 * B]
Array square_window(const SpectrumSize& size, const std::vector<float>& window);

// Periodic Hann, centred in the transform.
std::vector<float> hann_in(std::int64_t fft_size, std::int64_t window);

// The tables as nodes: signals to spectra and back, under one window. The graph outlives it.
class SpectrumWriter {
 public:
  SpectrumWriter(GraphBuilder& graph, const SpectrumSize& size, const std::vector<float>& window);

  // `graph` is the one that asks: a body may use the tables of the graph around it.
  GraphValue spectrum(GraphBuilder& graph, const GraphValue& signal) const;
  // The windowed frames added up; not yet divided by the sum of the windows.
  GraphValue overlapped(GraphBuilder& graph, const GraphValue& spectrum) const;
  // 1 / the sum of the squared windows of so many frames, i64 [1]; sums count as `smallest` at
  // least. Shaped as a signal.
  GraphValue gain(const GraphValue& frames, float smallest) const;

 private:
  GraphBuilder& graph_;
  SpectrumSize size_;
  GraphValue cut_;
  GraphValue turn_;
  GraphValue turn_back_;
  GraphValue add_up_;
  GraphValue square_;
};

}  // namespace qanat
