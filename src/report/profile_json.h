// Profiles as JSON with stable keys, one schema each in docs/schema: SI units, shares from 0 to 1,
// null where something was not measured.
#pragma once

#include <nlohmann/json.hpp>

#include "diagnose/data_profile.h"
#include "diagnose/dual_profile.h"
#include "diagnose/step_profile.h"
#include "diagnose/sweep.h"

namespace qanat {

nlohmann::ordered_json to_json(const StepProfile& profile);
nlohmann::ordered_json to_json(const DataProfile& profile);
nlohmann::ordered_json to_json(const SweepReport& sweep);
nlohmann::ordered_json to_json(const DualProfile& profile);

}  // namespace qanat
