#include "features/fft_plan.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/check.h"

namespace qanat {
namespace {

// Position of output `index` of the complex transform, which leaves its results in the order of
// its decimation: eight points as 2 x 4, everything larger by fours (so does the opening step of
// the whole transform, whatever the size: another reason for a smallest one).
int complex_place(int index, int size) {
  if (size <= 4) {
    return index;
  }
  if (size == 8) {
    return index % 2 * 4 + index / 2;
  }
  const int quarter = size / 4;
  return index % 4 * quarter + complex_place(index / 4, quarter);
}

std::vector<float> make_factors(int size, int powers) {
  std::vector<float> factors;
  for (int k = 0; k < size / 4; ++k) {
    for (int power = 1; power <= powers; ++power) {
      const double angle = -2.0 * std::numbers::pi * k * power / size;
      factors.push_back(static_cast<float>(std::cos(angle)));
      factors.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return factors;
}

}  // namespace

FftPlan::FftPlan(int size) : size_(size) {
  QANAT_CHECK(std::has_single_bit(static_cast<unsigned>(size))) << size;
  QANAT_CHECK(size >= 1 << kMinFftLog2 && size <= 1 << kMaxFftLog2) << size;
  for (int log2 = 2; (1 << log2) <= size; ++log2) {
    factors_.real[log2] = keep(make_factors(1 << log2, 1));
    factors_.complex[log2] = keep(make_factors(1 << log2, 3));
  }
}

const float* FftPlan::keep(std::vector<float> values) {
  return storage_.emplace_back(std::move(values)).data();
}

// The transform continues with sixteenths 0 and 1, 4 and 5, 6 and 7 as units: no padding inside.
int FftPlan::padded(int index, int padding) const {
  const int part = index / (size_ / 16);
  const bool second_of_pair = part == 1 || part == 5 || part == 7;
  return index + padding * (second_of_pair ? part - 1 : part);
}

BinPlace FftPlan::place(int bin, int padding) const {
  if (bin == 0 || bin == size_ / 2) {
    return {.re = bin == 0 ? 0 : 1, .im = work_size(padding) - 1};
  }
  const BinPlace plain = unpadded_place(bin);
  return {.re = padded(plain.re, padding), .im = padded(plain.im, padding)};
}

BinPlace FftPlan::unpadded_place(int bin) const {
  if (bin == 0 || bin == size_ / 2) {
    return {.re = bin == 0 ? 0 : 1, .im = size_};
  }
  // The real transform of `block` points keeps its even bins in its first half, as a transform of
  // half the size, and bins 1, 5, 9 ... in its second; 3, 7, 11 ... mirror those.
  int block = size_;
  while (bin % 2 == 0) {
    bin /= 2;
    block /= 2;
  }
  const int index = (bin % 4 == 1 ? bin : block - bin) / 4;
  const int re = block / 2 + complex_place(index, block / 4);
  return {.re = re, .im = re + block / 4};
}

}  // namespace qanat
