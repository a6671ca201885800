// Mono 16-bit WAV files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace qanat {

// A whole file in memory: header and samples. Throws Error beyond the 4 GiB a WAV file can hold.
std::vector<std::byte> encode_wav(std::span<const std::int16_t> mono, SampleRate rate);

// Written whole or not at all. Samples are rounded and bounded to 16 bits; what is not a number
// becomes 0. Throws Error when the disk refuses.
void write_wav(const std::filesystem::path& path, std::span<const float> mono, SampleRate rate);

}  // namespace qanat
