// The diagnosis of a run as JSON with stable keys: SI units, shares from 0 to 1, null where
// something was not measured.
#pragma once

#include <nlohmann/json.hpp>

#include "diagnose/diagnosis.h"
#include "diagnose/run_comparison.h"

namespace qanat {

nlohmann::ordered_json to_json(const Diagnosis& diagnosis);
nlohmann::ordered_json to_json(const RunComparison& comparison);

}  // namespace qanat
