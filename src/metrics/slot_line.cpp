#include "metrics/slot_line.h"

namespace qanat {

std::optional<StageTime> stage_time(const nlohmann::json& line, const char* stage) {
  const auto found = line.find(stage);
  if (found == line.end() || !found->is_array() || found->size() != 2 || !(*found)[0].is_number() ||
      !(*found)[1].is_number()) {
    return std::nullopt;
  }
  return StageTime{.begin = (*found)[0].get<double>(), .end = (*found)[1].get<double>()};
}

}  // namespace qanat
