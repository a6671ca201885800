#include "audio/sample_format.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "base/check.h"
#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"

namespace qanat {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are copied as they are stored");

// Above this a float file is not loud but in another unit.
constexpr float kMaxMagnitude = 16.0F;

// `Read` makes one float of the bytes at a place. memcpy keeps unaligned data defined and lets
// the compiler vectorise.
template <std::size_t width, typename Read>
void convert(std::span<const std::byte> bytes, std::span<float> out, Read read) {
  const std::byte* from = bytes.data();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = read(from + i * width);
  }
}

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

float from_s24(const std::byte* from) {
  const std::uint32_t high = std::to_integer<std::uint32_t>(from[2]) << 24U;
  const std::uint32_t mid = std::to_integer<std::uint32_t>(from[1]) << 16U;
  const std::uint32_t low = std::to_integer<std::uint32_t>(from[0]) << 8U;
  return static_cast<float>(static_cast<std::int32_t>(high | mid | low) >> 8) / 8388608.0F;
}

}  // namespace

std::string_view to_string(SampleFormat format) {
  switch (format) {
    case SampleFormat::pcm_u8:
      return "pcm_u8";
    case SampleFormat::pcm_s16:
      return "pcm_s16";
    case SampleFormat::pcm_s24:
      return "pcm_s24";
    case SampleFormat::pcm_s32:
      return "pcm_s32";
    case SampleFormat::pcm_f32:
      return "pcm_f32";
    case SampleFormat::pcm_f64:
      return "pcm_f64";
  }
  return "unknown";
}

std::size_t bytes_per_sample(SampleFormat format) {
  switch (format) {
    case SampleFormat::pcm_u8:
      return 1;
    case SampleFormat::pcm_s16:
      return 2;
    case SampleFormat::pcm_s24:
      return 3;
    case SampleFormat::pcm_s32:
    case SampleFormat::pcm_f32:
      return 4;
    case SampleFormat::pcm_f64:
      return 8;
  }
  return 0;
}

void to_float(SampleFormat format, std::span<const std::byte> bytes, std::span<float> out) {
  QANAT_CHECK(bytes.size() == out.size() * bytes_per_sample(format));
  switch (format) {
    case SampleFormat::pcm_u8:
      return convert<1>(bytes, out, [](const std::byte* at) {
        return static_cast<float>(std::to_integer<int>(*at) - 128) / 128.0F;
      });
    case SampleFormat::pcm_s16:
      return convert<2>(bytes, out, [](const std::byte* at) {
        return static_cast<float>(load<std::int16_t>(at)) / 32768.0F;
      });
    case SampleFormat::pcm_s24:
      return convert<3>(bytes, out, from_s24);
    case SampleFormat::pcm_s32:
      return convert<4>(bytes, out, [](const std::byte* at) {
        return static_cast<float>(load<std::int32_t>(at)) / 2147483648.0F;
      });
    case SampleFormat::pcm_f32:
      return convert<4>(bytes, out, load<float>);
    case SampleFormat::pcm_f64:
      return convert<8>(
          bytes, out, [](const std::byte* at) { return static_cast<float>(load<double>(at)); });
  }
}

void to_float(std::span<const std::int16_t> samples, std::span<float> out) {
  to_float(SampleFormat::pcm_s16, std::as_bytes(samples), out);
}

void to_pcm16(std::span<const float> samples, std::span<std::int16_t> out) {
  QANAT_CHECK(samples.size() == out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float value = std::isnan(samples[i]) ? 0.0F : samples[i] * 32768.0F;
    const float bounded = std::min(std::max(value, -32768.0F), 32767.0F);
    // Unlike std::lrint, which is a call, this compiles to vector code: 1.5 * 2^23 leaves no bits
    // for a fraction.
    constexpr float kNoFraction = 12582912.0F;
    out[i] = static_cast<std::int16_t>((bounded + kNoFraction) - kNoFraction);
  }
}

void mix_down(std::span<const float> interleaved, int channels, std::span<float> out) {
  const auto width = static_cast<std::size_t>(channels);
  QANAT_CHECK(interleaved.size() == out.size() * width);
  if (channels == 1) {
    std::copy(interleaved.begin(), interleaved.end(), out.begin());
    return;
  }
  if (channels == 2) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = (interleaved[2 * i] + interleaved[2 * i + 1]) * 0.5F;
    }
    return;
  }
  const float scale = 1.0F / static_cast<float>(channels);
  const float* from = interleaved.data();
  for (float& mixed : out) {
    mixed = std::accumulate(from, from + width, 0.0F) * scale;
    from += width;
  }
}

float peak_magnitude(std::span<const float> samples) {
  // Magnitudes of floats order like their bits, with infinity and NaN above all numbers.
  std::uint32_t largest = 0;
  for (const float sample : samples) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(sample) & 0x7FFFFFFFU);
  }
  return std::bit_cast<float>(largest);
}

Result<Done> check_magnitude(std::span<const float> samples) {
  const float peak = peak_magnitude(samples);
  if (!std::isfinite(peak)) {
    return to_failure(msg::audio_not_finite{});
  }
  if (peak > kMaxMagnitude) {
    return to_failure(msg::audio_too_loud{.peak = fmt::format("{:.6g}", peak)});
  }
  return Done{};
}

}  // namespace qanat
