// Everything a run can be told. A value; app/ maps it to the options of the modules.
#pragma once

#include <string_view>

#include "config/data_config.h"
#include "config/model_config.h"
#include "config/pipeline_config.h"
#include "config/training_config.h"

namespace qanat {

struct RunConfig {
  DataConfig data;
  ModelConfig model;
  TrainingConfig training;
  PipelineConfig pipeline;

  bool operator==(const RunConfig&) const = default;
};

struct SectionSpec {
  std::string_view name;
  std::string_view help;
};

// Calls `visit(const SectionSpec&, section)` once per section.
template <ConstOrNot<RunConfig> C, typename Visitor>
void visit_sections(C& config, Visitor&& visit) {
  visit(SectionSpec{"data", "which utterances, in which form, and how they are loaded"},
        config.data);
  visit(SectionSpec{"model", "what is trained"}, config.model);
  visit(SectionSpec{"training", "how long, how fast, from where and to where"}, config.training);
  visit(SectionSpec{"pipeline", "shapes, memory and devices; the defaults suit most runs"},
        config.pipeline);
}

}  // namespace qanat
