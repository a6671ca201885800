// A diagnosis for continuous integration: JUnit XML, which every CI server shows, and the
// annotations of GitHub Actions.
#pragma once

#include <string>
#include <string_view>

#include "diagnose/diagnosis.h"

namespace qanat {

// One test case per rule: findings of at least `failing` fail, others pass and say what they
// found; what was not checked is skipped with the reason. A run too short to judge is an error.
std::string render_junit(const Diagnosis& diagnosis,
                         std::string_view suite,
                         FindingSeverity failing = FindingSeverity::warn);

// One line per finding, and one for the verdict: `::warning title=...::...`.
std::string render_github_annotations(const Diagnosis& diagnosis);

}  // namespace qanat
