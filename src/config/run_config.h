// Everything a run can be told. A value; app/ maps it to the options of the modules.
#pragma once

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

}  // namespace qanat
