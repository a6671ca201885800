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

template <ConstOrNot<ModelConfig> C, typename Visitor>
void visit_fields(C& c, Visitor&& visit) {
  visit(field("size", "preset of widths and depths, the same on every machine; nano is for tests")
            .flag("--model-size"),
        c.size);
  visit(field("speaker_table",
              "learn one vector for each speaker of the data set besides what a reference says")
            .flag("--speaker-table"),
        c.speaker_table);
}

}  // namespace qanat
