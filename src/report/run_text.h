// The diagnosis of a run for a terminal or a log: the verdict first, then what can be won, then the
// figures behind it, then what was fine and what was not looked at.
#pragma once

#include <string>
#include <string_view>

#include "diagnose/diagnosis.h"
#include "diagnose/run_comparison.h"
#include "report/words.h"

namespace qanat {

// Ends in a newline.
std::string render_text(const Diagnosis& diagnosis, const Words& words = Words());
std::string render_text(const RunComparison& comparison, const Words& words = Words());
// What else is different about the two runs, a line each; empty when nothing is.
std::string render_text(const std::vector<Difference>& differences, const Words& words = Words());

// Parts of it, for other reports: all but the checks (verdict, findings, ledger, statistics), the
// findings by rank, and DIAGNOSTIC SUMMARY with all checks.
std::string render_run(const Diagnosis& diagnosis, const Words& words = Words());
std::string render_findings(const Diagnosis& diagnosis, const Words& words = Words());
std::string render_checks(const Diagnosis& diagnosis, const Words& words = Words());
// Of the checks: those that were skipped, the ones for the same reason together.
std::string render_skipped(const Diagnosis& diagnosis,
                           std::string_view indent,
                           const Words& words = Words());

// The verdict in one line, without its end: what a trainer says after an epoch.
std::string render_verdict(const Diagnosis& diagnosis, const Words& words = Words());

}  // namespace qanat
