// Section `model`: what is trained.
#pragma once

#include "config/field.h"

namespace qanat {

enum class ModelSize { nano, tiny, small, normal, big };

template <>
inline constexpr std::array kChoices<ModelSize> = {Choice{"nano", ModelSize::nano},
                                                   Choice{"tiny", ModelSize::tiny},
                                                   Choice{"small", ModelSize::small},
                                                   Choice{"normal", ModelSize::normal},
                                                   Choice{"big", ModelSize::big}};

struct ModelConfig {
  ModelSize size = ModelSize::tiny;
  bool speaker_table = false;

  bool operator==(const ModelConfig&) const = default;
};

}  // namespace qanat
