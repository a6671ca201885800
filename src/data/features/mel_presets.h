// The mel spectrograms of other trainers, by name, so that what is loaded is what their models were
// trained on. Each follows the definition that the trainer's own code has; tests compare with it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "features/mel_config.h"

namespace qanat {

struct MelPreset {
  std::string_view name;
  MelConfig config;
};

std::span<const MelPreset> mel_presets();
// Nothing when no preset has this name.
std::optional<MelConfig> find_mel_preset(std::string_view name);

}  // namespace qanat
