// What `qanat diagnose` finds out about a machine, a configuration, a data set and a short run, for
// a terminal and for programs: sections, verdict, then the DIAGNOSTIC SUMMARY with issues,
// recommendations and the exact changes to the configuration. app/ fills it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "diagnose/diagnosis.h"
#include "report/document.h"
#include "report/run_text.h"

namespace qanat {

struct FullDiagnosis {
  std::vector<Section> sections;  // in the order of the report; `key` is the name in JSON
  Diagnosis diagnosis;            // findings about configuration and data set included
  bool measured = false;          // a run was made, so a verdict can be expected
};

// Ends in a newline. Every check, and the figures of the run, only with all detail.
std::string render_text(const FullDiagnosis& full,
                        const Translator& words = Translator(),
                        Detail detail = Detail::all);
nlohmann::ordered_json to_json(const FullDiagnosis& full);

}  // namespace qanat
