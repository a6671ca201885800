// A journal line of kind "slot": when each stage of one batch's way through the ring began and
// ended.
#pragma once

#include <optional>

#include <nlohmann/json.hpp>

namespace qanat {

// Seconds since the ring started.
struct StageTime {
  double begin = 0;
  double end = 0;

  double length() const { return end - begin; }
};

// Nothing when the line does not have this stage, or has something else in its place.
std::optional<StageTime> stage_time(const nlohmann::json& line, const char* stage);

}  // namespace qanat
