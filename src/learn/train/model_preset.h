// The model's preset of a configured size: model/ knows no configuration.
#pragma once

#include "config/run_config.h"
#include "model/model_shape.h"

namespace qanat {

inline ModelPreset to_preset(ModelSize size) {
  switch (size) {
    case ModelSize::nano:
      return ModelPreset::nano;
    case ModelSize::tiny:
      return ModelPreset::tiny;
    case ModelSize::small:
      return ModelPreset::small;
    case ModelSize::normal:
      return ModelPreset::normal;
    case ModelSize::big:
      return ModelPreset::big;
  }
  return ModelPreset::tiny;
}

}  // namespace qanat
