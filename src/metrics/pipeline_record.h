// What a loader did, as the journal keeps it: a line of kind "pipeline". Reports and diagnosis
// read it back without a loader.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "metrics/journal.h"
#include "metrics/pipeline_stats.h"

namespace qanat {

Event to_event(const PipelineStats& stats);
// Fails when the line is of another kind or lacks a field.
Result<PipelineStats> to_pipeline_stats(const nlohmann::json& line);

}  // namespace qanat
