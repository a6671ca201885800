// What `qanat diagnose` finds out about a machine, a configuration, a data set and a short run, for
// a terminal and for programs: sections, verdict, then the DIAGNOSTIC SUMMARY with issues,
// recommendations and the exact changes to the configuration. app/ fills it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "diagnose/diagnosis.h"
#include "report/document.h"

namespace qanat {

struct FullDiagnosis {
  std::vector<Section> sections;  // in the order of the report; `key` is the name in JSON
  Diagnosis diagnosis;            // findings of the sections included
  bool measured = false;          // a run was made, so a verdict can be expected
};

// Ends in a newline.
std::string render_text(const FullDiagnosis& full, const Words& words = Words());
nlohmann::ordered_json to_json(const FullDiagnosis& full);

// What to change in the configuration: the first fix of each finding worth a change, no key twice.
struct ConfigChanges {
  std::vector<Fix> fixes;  // of keys, the greatest gain first

  std::string flags() const;  // to paste behind the command
  std::string yaml() const;   // to merge into the file
};
ConfigChanges config_changes(const std::vector<Finding>& findings);

// The value a fix gives its key: "3" of "--num-workers 3" and of "--set data.num_workers=3".
std::string value_of(const Fix& fix);

}  // namespace qanat
