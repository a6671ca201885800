// The diagnosis of a run as JSON with stable keys: SI units, shares from 0 to 1, null where
// something was not measured.
#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "diagnose/diagnosis.h"
#include "diagnose/run_comparison.h"
#include "metrics/run_snapshot.h"

namespace qanat {

// Unknown is null.
template <typename Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json to_json(const Diagnosis& diagnosis);
// `matches`: what else has that period; absent: not in the object.
nlohmann::ordered_json to_json(const Periodicity& tested,
                               const std::optional<nlohmann::ordered_json>& matches = {});
nlohmann::ordered_json to_json(const RunComparison& comparison);
nlohmann::ordered_json to_json(const std::vector<Difference>& differences);

// What a run is doing now, for programs: step, loss, pace, waiting and the verdict. Null is
// unknown.
nlohmann::ordered_json to_json(const RunSnapshot& now, const Diagnosis& diagnosis);

}  // namespace qanat
