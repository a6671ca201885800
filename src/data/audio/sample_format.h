// Samples as files store them, little-endian, and as we compute with them: float in [-1, 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"

namespace qanat {

enum class SampleFormat { pcm_u8, pcm_s16, pcm_s24, pcm_s32, pcm_f32, pcm_f64 };

std::string_view to_string(SampleFormat format);
std::size_t bytes_per_sample(SampleFormat format);

// `bytes` holds exactly out.size() samples; it may be unaligned. Integers are divided by their
// full scale (32768 for 16 bits), as libsndfile and torchaudio do.
void to_float(SampleFormat format, std::span<const std::byte> bytes, std::span<float> out);
void to_float(std::span<const std::int16_t> samples, std::span<float> out);

// To the nearest 16-bit value, saturating; what is not a number becomes 0. Undoes the above.
void to_pcm16(std::span<const float> samples, std::span<std::int16_t> out);

// Mean of the channels. interleaved.size() == out.size() * channels.
void mix_down(std::span<const float> interleaved, int channels, std::span<float> out);

// Largest magnitude; +inf or NaN if any sample is not finite.
float peak_magnitude(std::span<const float> samples);

// A Failure for samples that are not finite, or so large that they are in another unit.
Result<Done> check_magnitude(std::span<const float> samples);

}  // namespace qanat
