// Four floats with the operations the kernels need, in the vector notation GCC and Clang share:
// SSE2 on any x86-64, NEON on any arm64, plain code elsewhere.
#pragma once

#include <cstdint>

namespace qanat {

struct BaselineLanes {
  static constexpr int kCount = 4;
  using Floats __attribute__((vector_size(16))) = float;
  using Ints __attribute__((vector_size(16))) = std::int32_t;

  Floats value;

  static BaselineLanes load(const float* from) {
    BaselineLanes lanes;
    __builtin_memcpy(&lanes.value, from, sizeof(lanes.value));
    return lanes;
  }
  // Two neighbours in each lane, as they are; first_of() and second_of() make floats of them.
  static BaselineLanes load_pairs(const std::int16_t* from) {
    BaselineLanes pairs;
    __builtin_memcpy(&pairs.value, from, sizeof(pairs.value));
    return pairs;
  }
  static BaselineLanes broadcast(float scalar) { return {Floats{scalar, scalar, scalar, scalar}}; }
  void store(float* to) const { __builtin_memcpy(to, &value, sizeof(value)); }

  friend BaselineLanes operator+(BaselineLanes a, BaselineLanes b) { return {a.value + b.value}; }
  friend BaselineLanes operator-(BaselineLanes a, BaselineLanes b) { return {a.value - b.value}; }
  friend BaselineLanes operator*(BaselineLanes a, BaselineLanes b) { return {a.value * b.value}; }
  friend BaselineLanes operator/(BaselineLanes a, BaselineLanes b) { return {a.value / b.value}; }
};

inline BaselineLanes first_of(BaselineLanes pairs) {
  BaselineLanes::Ints bits;
  __builtin_memcpy(&bits, &pairs.value, sizeof(bits));
  return {__builtin_convertvector((bits << 16) >> 16, BaselineLanes::Floats)};
}
inline BaselineLanes second_of(BaselineLanes pairs) {
  BaselineLanes::Ints bits;
  __builtin_memcpy(&bits, &pairs.value, sizeof(bits));
  return {__builtin_convertvector(bits >> 16, BaselineLanes::Floats)};
}

// a * b + c, a * b - c, c - a * b; fused where the target can (-ffp-contract=fast).
inline BaselineLanes multiply_add(BaselineLanes a, BaselineLanes b, BaselineLanes c) {
  return {a.value * b.value + c.value};
}
inline BaselineLanes multiply_subtract(BaselineLanes a, BaselineLanes b, BaselineLanes c) {
  return {a.value * b.value - c.value};
}
inline BaselineLanes negative_multiply_add(BaselineLanes a, BaselineLanes b, BaselineLanes c) {
  return {c.value - a.value * b.value};
}

// One instruction with -fno-math-errno.
inline BaselineLanes square_root(BaselineLanes a) {
  BaselineLanes root;
  for (int i = 0; i < BaselineLanes::kCount; ++i) {
    root.value[i] = __builtin_sqrtf(a.value[i]);
  }
  return root;
}
// `b` where `a` is not a number.
inline BaselineLanes maximum(BaselineLanes a, BaselineLanes b) {
  return {a.value > b.value ? a.value : b.value};
}

// value = mantissa * 2^exponent with mantissa in [0.75, 1.5), for positive normal numbers.
inline BaselineLanes split_exponent(BaselineLanes value, BaselineLanes& mantissa) {
  BaselineLanes::Ints bits;
  __builtin_memcpy(&bits, &value.value, sizeof(bits));
  const BaselineLanes::Ints exponent = (bits - 0x3f400000) >> 23;
  bits -= exponent << 23;
  __builtin_memcpy(&mantissa.value, &bits, sizeof(bits));
  return {__builtin_convertvector(exponent, BaselineLanes::Floats)};
}

// rows[i] lane j <-> rows[j] lane i
inline void transpose(BaselineLanes (&rows)[4]) {
  const auto low01 = __builtin_shufflevector(rows[0].value, rows[1].value, 0, 4, 1, 5);
  const auto high01 = __builtin_shufflevector(rows[0].value, rows[1].value, 2, 6, 3, 7);
  const auto low23 = __builtin_shufflevector(rows[2].value, rows[3].value, 0, 4, 1, 5);
  const auto high23 = __builtin_shufflevector(rows[2].value, rows[3].value, 2, 6, 3, 7);
  rows[0].value = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  rows[1].value = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  rows[2].value = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  rows[3].value = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

}  // namespace qanat
