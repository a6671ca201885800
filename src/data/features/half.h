// IEEE 754 half precision (binary16), as raw 16-bit words. Rounds to nearest even, keeps
// infinities, subnormals and NaN. The array forms use F16C where the processor has it; the scalar
// forms are portable and give the same bits.
#pragma once

#include <cstdint>
#include <span>

namespace qanat {

std::uint16_t to_half(float value);
float from_half(std::uint16_t half);

// Sizes have to be equal.
void to_half(std::span<const float> values, std::span<std::uint16_t> halves);
void from_half(std::span<const std::uint16_t> halves, std::span<float> values);

}  // namespace qanat
