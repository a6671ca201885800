#include "features/mel_presets.h"

#include <algorithm>
#include <array>

namespace qanat {
namespace {

constexpr MelConfig kHifiGan{};

// HiFi-GAN's, normalised by the mean and deviation of LJSpeech.
constexpr MelConfig kMatcha{.mean = -5.536622F, .deviation = 2.116101F};

// FastPitch and the vocoders of NeMo at 22.05 kHz.
constexpr MelConfig kNemo{.window_kind = MelWindow::symmetric,
                          .frames = MelFrames::points,
                          .floor = MelFloor::add,
                          .magnitude_floor = 0.0F};

// The features of Vocos at 24 kHz.
constexpr MelConfig kF5{.sample_rate = SampleRate{24000},
                        .mel_bins = 100,
                        .fmax = 12000.0F,
                        .scale = MelScale::htk,
                        .norm = MelNorm::none,
                        .frames = MelFrames::points,
                        .magnitude_floor = 0.0F};

// Its bands are those of 16 kHz, laid over the bins of audio at 24 kHz.
constexpr MelConfig kStyleTts2{.sample_rate = SampleRate{24000},
                               .fft_size = 2048,
                               .hop = 300,
                               .window = 1200,
                               .scale = MelScale::htk,
                               .norm = MelNorm::none,
                               .spectrum = MelSpectrum::power,
                               .frames = MelFrames::points,
                               .floor = MelFloor::add,
                               .magnitude_floor = 0.0F,
                               .mean = -4.0F,
                               .deviation = 4.0F,
                               .band_rate = SampleRate{16000}};

constexpr MelConfig kTacotron2{.frames = MelFrames::points, .magnitude_floor = 0.0F};

constexpr std::array kPresets = {MelPreset{"hifigan", kHifiGan},
                                 MelPreset{"coqui", kHifiGan},
                                 MelPreset{"xtts", kHifiGan},
                                 MelPreset{"matcha", kMatcha},
                                 MelPreset{"nemo", kNemo},
                                 MelPreset{"f5", kF5},
                                 MelPreset{"vocos", kF5},
                                 MelPreset{"styletts2", kStyleTts2},
                                 MelPreset{"tacotron2", kTacotron2}};

}  // namespace

std::span<const MelPreset> mel_presets() {
  return kPresets;
}

std::optional<MelConfig> find_mel_preset(std::string_view name) {
  const auto found = std::ranges::find(kPresets, name, &MelPreset::name);
  return found == kPresets.end() ? std::nullopt : std::optional(found->config);
}

}  // namespace qanat
