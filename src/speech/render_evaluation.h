// A spectrogram to be heard and to be seen: how far a model has come.
#pragma once

#include <filesystem>
#include <span>

#include "features/griffin_lim.h"

namespace qanat {

// Writes stem.wav and stem.png, each whole or not at all, of [frames, mel_bins] natural logs; makes
// the folder. `vocoder` belongs to the calling thread; its spectrogram is that of `mel`. Throws
// Error when the disk refuses.
void render_evaluation(const std::filesystem::path& stem,
                       std::span<const float> mel,
                       const MelConfig& config,
                       GriffinLim& vocoder);

}  // namespace qanat
