// A log-mel spectrogram as a picture: time to the right, low bands at the bottom, loud is bright.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace qanat {

struct MelImageOptions {
  int frame_width = 2;         // pixels
  int band_height = 4;         // pixels
  float quietest = -11.5129F;  // natural log shown as the darkest; the floor of the spectrogram
  float loudest = 1.0F;        // and as the brightest; beyond them colours do not change
};

// A PNG file in memory of [frames, mel_bins], row by row; at least one frame. Equal input, equal
// bytes. Throws Error for more frames than a picture can have.
std::vector<std::byte> encode_mel_image(std::span<const float> mel,
                                        int mel_bins,
                                        const MelImageOptions& options = {});

// Written whole or not at all. Throws Error when the disk refuses.
void write_mel_image(const std::filesystem::path& path,
                     std::span<const float> mel,
                     int mel_bins,
                     const MelImageOptions& options = {});

}  // namespace qanat
