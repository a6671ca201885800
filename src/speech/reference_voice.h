// The recording that a voice is taken from, as the speaker encoder reads it. Without libtorch.
#pragma once

#include <filesystem>
#include <vector>

#include "features/mel_config.h"

namespace qanat {

// Log-mel of the middle of a recording, [frames, mel_bins]: as long as references in training get.
// Throws Error when it cannot be read, or is shorter than a frame.
std::vector<float> read_reference_voice(const std::filesystem::path& path, const MelConfig& config);

}  // namespace qanat
