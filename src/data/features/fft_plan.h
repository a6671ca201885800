// What the lane-parallel real FFT (fft_lanes.h) of one size needs: its rotation factors, and where
// it leaves each bin. Immutable once made; any number of threads may read it.
#pragma once

#include <vector>

namespace qanat {

constexpr int kMinFftLog2 = 6;
constexpr int kMaxFftLog2 = 16;

// The work area is cut into sixteenths of the transform. So many vectors of padding after each keep
// them out of each other's cache sets when all are written in turn: one cache line of AVX2, five of
// AVX-512, which were fastest.
constexpr int fft_padding(int lanes) {
  return lanes > 8 ? 5 : 2;
}

// Rotation factors by the binary logarithm of the transform they belong to. Of 2^n points:
// real[n] holds exp(-2 pi i k / 2^n) for k < 2^n / 4, as pairs; complex[n] the same with the second
// and third power after each.
struct FftFactors {
  const float* real[kMaxFftLog2 + 1] = {};
  const float* complex[kMaxFftLog2 + 1] = {};
};

// Where the parts of one bin lie after the transform, in vectors from the begin of the work area.
// The imaginary part may have the other sign; magnitudes do not care.
struct BinPlace {
  int re = 0;
  int im = 0;
};

class FftPlan {
 public:
  // `size`: a power of two, 2^kMinFftLog2 to 2^kMaxFftLog2.
  explicit FftPlan(int size);
  FftPlan(const FftPlan&) = delete;
  FftPlan& operator=(const FftPlan&) = delete;
  ~FftPlan() = default;

  // Vectors in the work area. The last one has to be zero: it is the imaginary part of the
  // outermost bins.
  int work_size(int padding) const { return size_ + 16 * padding + 1; }
  // 0 <= bin <= size / 2
  BinPlace place(int bin, int padding) const;
  // The same after LaneFft::transform_real() of a work area without padding; the zero follows right
  // behind it.
  BinPlace unpadded_place(int bin) const;
  // Valid as long as the plan.
  const FftFactors& factors() const { return factors_; }

 private:
  const float* keep(std::vector<float> values);
  int padded(int index, int padding) const;

  int size_;
  std::vector<std::vector<float>> storage_;  // what factors_ points to
  FftFactors factors_;
};

}  // namespace qanat
