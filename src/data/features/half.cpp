#include "features/half.h"

#include <bit>
#include <cstddef>

#include "base/check.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace qanat {
namespace {

constexpr std::uint32_t kFloatInfinity = 0x7F800000;
constexpr std::uint32_t kHalfInfinity = 0x7C00;

#if defined(__x86_64__)

// avx2 stands in for "the system saves the wide registers"; F16C itself is not in the list of
// every compiler's __builtin_cpu_supports.
bool detect_f16c() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
         (c & bit_F16C) != 0;
}

bool has_f16c() {
  static const bool has = detect_f16c();
  return has;
}

// Both return how many leading elements they converted: a multiple of eight.
__attribute__((target("avx,f16c"))) std::size_t to_half_f16c(std::span<const float> values,
                                                             std::uint16_t* halves) {
  const std::size_t whole = values.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    const __m128i packed = _mm256_cvtps_ph(_mm256_loadu_ps(values.data() + i),
                                           _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(halves + i), packed);
  }
  return whole;
}

__attribute__((target("avx,f16c"))) std::size_t from_half_f16c(
    std::span<const std::uint16_t> halves, float* values) {
  const std::size_t whole = halves.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) {
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(halves.data() + i));
    _mm256_storeu_ps(values + i, _mm256_cvtph_ps(packed));
  }
  return whole;
}

#else

bool has_f16c() {
  return false;
}
std::size_t to_half_f16c(std::span<const float>, std::uint16_t*) {
  return 0;
}
std::size_t from_half_f16c(std::span<const std::uint16_t>, float*) {
  return 0;
}

#endif

// Divides by 2^shift, to nearest, ties to even.
std::uint32_t shift_rounded(std::uint32_t bits, unsigned shift) {
  const std::uint32_t odd = (bits >> shift) & 1U;
  return (bits + (1U << (shift - 1)) - 1 + odd) >> shift;
}

}  // namespace

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  std::uint32_t half = 0;
  if (magnitude > kFloatInfinity) {
    half = kHalfInfinity | 0x0200U | ((magnitude >> 13) & 0x03FFU);  // quiet, payload kept
  } else if (magnitude >= 0x47800000U) {                             // 65536 and up
    half = kHalfInfinity;
  } else if (magnitude >= 0x38800000U) {  // 2^-14 and up: normal; a carry may reach infinity
    half = shift_rounded(magnitude - 0x38000000U, 13);
  } else if (magnitude > 0x32FFFFFFU) {  // 2^-25 and up: subnormal or rounds to one
    const std::uint32_t significand = (magnitude & 0x007FFFFFU) | 0x00800000U;
    half = shift_rounded(significand, 126U - (magnitude >> 23));
  }
  return static_cast<std::uint16_t>(sign | half);
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16;
  const std::uint32_t magnitude = half & 0x7FFFU;
  if (magnitude > kHalfInfinity) {
    return std::bit_cast<float>(sign | kFloatInfinity | 0x00400000U | (magnitude << 13));
  }
  if (magnitude == kHalfInfinity) {
    return std::bit_cast<float>(sign | kFloatInfinity);
  }
  if (magnitude >= 0x0400U) {
    return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
  }
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(subnormal));
}

void to_half(std::span<const float> values, std::span<std::uint16_t> halves) {
  QANAT_CHECK(values.size() == halves.size()) << values.size() << " and " << halves.size();
  std::size_t i = has_f16c() ? to_half_f16c(values, halves.data()) : 0;
  for (; i < values.size(); ++i) {
    halves[i] = to_half(values[i]);
  }
}

void from_half(std::span<const std::uint16_t> halves, std::span<float> values) {
  QANAT_CHECK(values.size() == halves.size()) << values.size() << " and " << halves.size();
  std::size_t i = has_f16c() ? from_half_f16c(halves, values.data()) : 0;
  for (; i < halves.size(); ++i) {
    values[i] = from_half(halves[i]);
  }
}

}  // namespace qanat
