// Eight floats of an AVX2 register with the operations the kernels need. Include it only from
// a file compiled with -mavx2 -mfma; everything in it is inlined into that file.
#pragma once

#include <cstdint>

#include <immintrin.h>

namespace qanat {

struct Avx2Lanes {
  static constexpr int kCount = 8;
  __m256 value;

  static Avx2Lanes load(const float* from) { return {_mm256_loadu_ps(from)}; }
  // Two neighbours in each lane, as they are; first_of() and second_of() make floats of them.
  static Avx2Lanes load_pairs(const std::int16_t* from) {
    return {_mm256_loadu_ps(reinterpret_cast<const float*>(from))};
  }
  static Avx2Lanes broadcast(float scalar) { return {_mm256_set1_ps(scalar)}; }
  void store(float* to) const { _mm256_storeu_ps(to, value); }

  friend Avx2Lanes operator+(Avx2Lanes a, Avx2Lanes b) { return {_mm256_add_ps(a.value, b.value)}; }
  friend Avx2Lanes operator-(Avx2Lanes a, Avx2Lanes b) { return {_mm256_sub_ps(a.value, b.value)}; }
  friend Avx2Lanes operator*(Avx2Lanes a, Avx2Lanes b) { return {_mm256_mul_ps(a.value, b.value)}; }
  friend Avx2Lanes operator/(Avx2Lanes a, Avx2Lanes b) { return {_mm256_div_ps(a.value, b.value)}; }
};

inline Avx2Lanes first_of(Avx2Lanes pairs) {
  const __m256i shifted = _mm256_slli_epi32(_mm256_castps_si256(pairs.value), 16);
  return {_mm256_cvtepi32_ps(_mm256_srai_epi32(shifted, 16))};
}
inline Avx2Lanes second_of(Avx2Lanes pairs) {
  return {_mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_castps_si256(pairs.value), 16))};
}

// a * b + c, a * b - c, c - a * b
inline Avx2Lanes multiply_add(Avx2Lanes a, Avx2Lanes b, Avx2Lanes c) {
  return {_mm256_fmadd_ps(a.value, b.value, c.value)};
}
inline Avx2Lanes multiply_subtract(Avx2Lanes a, Avx2Lanes b, Avx2Lanes c) {
  return {_mm256_fmsub_ps(a.value, b.value, c.value)};
}
inline Avx2Lanes negative_multiply_add(Avx2Lanes a, Avx2Lanes b, Avx2Lanes c) {
  return {_mm256_fnmadd_ps(a.value, b.value, c.value)};
}

inline Avx2Lanes square_root(Avx2Lanes a) {
  return {_mm256_sqrt_ps(a.value)};
}
// `b` where `a` is not a number.
inline Avx2Lanes maximum(Avx2Lanes a, Avx2Lanes b) {
  return {_mm256_max_ps(a.value, b.value)};
}

// value = mantissa * 2^exponent with mantissa in [0.75, 1.5), for positive normal numbers.
inline Avx2Lanes split_exponent(Avx2Lanes value, Avx2Lanes& mantissa) {
  const __m256i bits = _mm256_castps_si256(value.value);
  const __m256i three_quarters = _mm256_set1_epi32(0x3f400000);
  const __m256i exponent = _mm256_srai_epi32(_mm256_sub_epi32(bits, three_quarters), 23);
  mantissa.value = _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(exponent, 23)));
  return {_mm256_cvtepi32_ps(exponent)};
}

// rows[i] lane j <-> rows[j] lane i
inline void transpose(Avx2Lanes (&rows)[8]) {
  __m256 half[8];
  for (int i = 0; i < 4; ++i) {
    half[i] = _mm256_permute2f128_ps(rows[i].value, rows[i + 4].value, 0x20);
    half[i + 4] = _mm256_permute2f128_ps(rows[i].value, rows[i + 4].value, 0x31);
  }
  for (int i = 0; i < 8; i += 4) {
    const __m256 low01 = _mm256_unpacklo_ps(half[i], half[i + 1]);
    const __m256 high01 = _mm256_unpackhi_ps(half[i], half[i + 1]);
    const __m256 low23 = _mm256_unpacklo_ps(half[i + 2], half[i + 3]);
    const __m256 high23 = _mm256_unpackhi_ps(half[i + 2], half[i + 3]);
    rows[i].value = _mm256_shuffle_ps(low01, low23, 0x44);
    rows[i + 1].value = _mm256_shuffle_ps(low01, low23, 0xee);
    rows[i + 2].value = _mm256_shuffle_ps(high01, high23, 0x44);
    rows[i + 3].value = _mm256_shuffle_ps(high01, high23, 0xee);
  }
}

}  // namespace qanat
