// What `qanat diagnose` finds out about a machine, a configuration, a data set and a short run.
// Values; app/ fills them, report/ renders them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "diagnose/diagnosis.h"

namespace qanat {

// One thing that was looked at: what was seen, or why it was not.
struct DiagnosisSection {
  std::string name;                      // "hardware"
  std::vector<std::string> lines{};      // for people
  nlohmann::json figures{};              // for programs; null: none
  std::optional<std::string> skipped{};  // why there is nothing
};

struct FullDiagnosis {
  std::vector<DiagnosisSection> sections;  // in the order of the report
  Diagnosis diagnosis;                     // findings of the sections included
  bool measured = false;                   // a run was made, so a verdict can be expected
};

// Findings that name broken hardware: a lost GPU, errors of its memory or its driver.
bool is_hardware_fault(const Finding& finding);

}  // namespace qanat
