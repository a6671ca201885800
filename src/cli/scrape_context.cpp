#include "cli/scrape_context.h"

#include <set>
#include <string_view>
#include <utility>

namespace qanat {

ScrapeContext scrape_context(const Diagnosis& diagnosis) {
  ScrapeContext context{.version = QANAT_VERSION};
  if (diagnosis.verdict == VerdictKind::incomplete) {
    return context;
  }
  context.recoverable = diagnosis.recoverable_share;
  // A rule may find something in several places, and is one series all the same.
  std::set<std::pair<std::string, std::string>> said;
  const auto add = [&](const std::string& id, std::string_view severity, bool active) {
    if (said.emplace(id, severity).second) {
      context.findings.push_back({.id = id, .severity = std::string(severity), .active = active});
    }
  };
  for (const Finding& finding : diagnosis.findings) {
    add(finding.id, to_string(finding.severity), true);
  }
  for (const PassedCheck& check : diagnosis.passed) {
    add(check.id, "none", false);
  }
  return context;
}

}  // namespace qanat
