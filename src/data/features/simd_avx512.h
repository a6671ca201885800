// Sixteen floats of an AVX-512 register with the operations the kernels need. Include it only from
// a file compiled for AVX-512 (F, BW, DQ, VL); everything in it is inlined into that file.
//
// Lane by lane what simd_avx2.h does, so both give the same bits.
#pragma once

#include <cstdint>

#include <immintrin.h>

namespace qanat {

struct Avx512Lanes {
  static constexpr int kCount = 16;
  __m512 value;

  static Avx512Lanes load(const float* from) { return {_mm512_loadu_ps(from)}; }
  // Two neighbours in each lane, as they are; first_of() and second_of() make floats of them.
  static Avx512Lanes load_pairs(const std::int16_t* from) { return {_mm512_loadu_ps(from)}; }
  static Avx512Lanes broadcast(float scalar) { return {_mm512_set1_ps(scalar)}; }
  void store(float* to) const { _mm512_storeu_ps(to, value); }
  // A whole cache line, past the caches.
  void stream(float* to) const { _mm512_stream_ps(to, value); }
  static void end_stream() { _mm_sfence(); }

  friend Avx512Lanes operator+(Avx512Lanes a, Avx512Lanes b) {
    return {_mm512_add_ps(a.value, b.value)};
  }
  friend Avx512Lanes operator-(Avx512Lanes a, Avx512Lanes b) {
    return {_mm512_sub_ps(a.value, b.value)};
  }
  friend Avx512Lanes operator*(Avx512Lanes a, Avx512Lanes b) {
    return {_mm512_mul_ps(a.value, b.value)};
  }
  friend Avx512Lanes operator/(Avx512Lanes a, Avx512Lanes b) {
    return {_mm512_div_ps(a.value, b.value)};
  }
};

inline Avx512Lanes first_of(Avx512Lanes pairs) {
  const __m512i shifted = _mm512_slli_epi32(_mm512_castps_si512(pairs.value), 16);
  return {_mm512_cvtepi32_ps(_mm512_srai_epi32(shifted, 16))};
}
inline Avx512Lanes second_of(Avx512Lanes pairs) {
  return {_mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_castps_si512(pairs.value), 16))};
}

// a * b + c, a * b - c, c - a * b
inline Avx512Lanes multiply_add(Avx512Lanes a, Avx512Lanes b, Avx512Lanes c) {
  return {_mm512_fmadd_ps(a.value, b.value, c.value)};
}
inline Avx512Lanes multiply_subtract(Avx512Lanes a, Avx512Lanes b, Avx512Lanes c) {
  return {_mm512_fmsub_ps(a.value, b.value, c.value)};
}
inline Avx512Lanes negative_multiply_add(Avx512Lanes a, Avx512Lanes b, Avx512Lanes c) {
  return {_mm512_fnmadd_ps(a.value, b.value, c.value)};
}

inline Avx512Lanes square_root(Avx512Lanes a) {
  return {_mm512_sqrt_ps(a.value)};
}
// The same bits without the divider, for numbers from 2^-100 to 2^100: an approximation to 14 bits,
// improved by Newton's method, then corrected by what its square lacks. Right for every number,
// and for every approximation as good as the instruction promises (tried).
inline Avx512Lanes square_root_by_products(Avx512Lanes a) {
  const __m512 half = _mm512_set1_ps(0.5F);
  const __m512 inverse = _mm512_rsqrt14_ps(a.value);
  const __m512 rough = _mm512_mul_ps(a.value, inverse);
  const __m512 rough_half = _mm512_mul_ps(inverse, half);  // 1 / (2 root)
  const __m512 error = _mm512_fnmadd_ps(rough, rough_half, half);
  const __m512 root = _mm512_fmadd_ps(rough, error, rough);
  const __m512 root_half = _mm512_fmadd_ps(rough_half, error, rough_half);
  const __m512 lack = _mm512_fnmadd_ps(root, root, a.value);
  return {_mm512_fmadd_ps(lack, root_half, root)};
}
// `b` where `a` is not a number.
inline Avx512Lanes maximum(Avx512Lanes a, Avx512Lanes b) {
  return {_mm512_max_ps(a.value, b.value)};
}

// value = mantissa * 2^exponent with mantissa in [0.75, 1.5), for positive normal numbers.
inline Avx512Lanes split_exponent(Avx512Lanes value, Avx512Lanes& mantissa) {
  const __m512i bits = _mm512_castps_si512(value.value);
  const __m512i three_quarters = _mm512_set1_epi32(0x3f400000);
  const __m512i exponent = _mm512_srai_epi32(_mm512_sub_epi32(bits, three_quarters), 23);
  mantissa.value = _mm512_castsi512_ps(_mm512_sub_epi32(bits, _mm512_slli_epi32(exponent, 23)));
  return {_mm512_cvtepi32_ps(exponent)};
}

// Within each 128 bits: rows[i] element j <-> rows[j] element i, for four rows from `first` on.
inline void transpose_quarters(Avx512Lanes (&rows)[16], int first) {
  const __m512 low01 = _mm512_unpacklo_ps(rows[first].value, rows[first + 1].value);
  const __m512 high01 = _mm512_unpackhi_ps(rows[first].value, rows[first + 1].value);
  const __m512 low23 = _mm512_unpacklo_ps(rows[first + 2].value, rows[first + 3].value);
  const __m512 high23 = _mm512_unpackhi_ps(rows[first + 2].value, rows[first + 3].value);
  rows[first].value = _mm512_shuffle_ps(low01, low23, 0x44);
  rows[first + 1].value = _mm512_shuffle_ps(low01, low23, 0xee);
  rows[first + 2].value = _mm512_shuffle_ps(high01, high23, 0x44);
  rows[first + 3].value = _mm512_shuffle_ps(high01, high23, 0xee);
}

// rows[i] lane j <-> rows[j] lane i
inline void transpose(Avx512Lanes (&rows)[16]) {
  for (int first = 0; first < 16; first += 4) {
    transpose_quarters(rows, first);
  }
  for (int i = 0; i < 4; ++i) {
    const __m512 even01 = _mm512_shuffle_f32x4(rows[i].value, rows[i + 4].value, 0x88);
    const __m512 odd01 = _mm512_shuffle_f32x4(rows[i].value, rows[i + 4].value, 0xdd);
    const __m512 even23 = _mm512_shuffle_f32x4(rows[i + 8].value, rows[i + 12].value, 0x88);
    const __m512 odd23 = _mm512_shuffle_f32x4(rows[i + 8].value, rows[i + 12].value, 0xdd);
    rows[i].value = _mm512_shuffle_f32x4(even01, even23, 0x88);
    rows[i + 4].value = _mm512_shuffle_f32x4(odd01, odd23, 0x88);
    rows[i + 8].value = _mm512_shuffle_f32x4(even01, even23, 0xdd);
    rows[i + 12].value = _mm512_shuffle_f32x4(odd01, odd23, 0xdd);
  }
}

}  // namespace qanat
