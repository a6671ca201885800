// The diagnosis of a run for a terminal or a log: the verdict first, then the findings with gain,
// fix and check, then how many checks were fine. With all detail: the figures behind it, and every
// check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/run_comparison.h"
#include "locale/translator.h"

namespace qanat {

enum class Detail { brief, all };

// Ends in a newline.
std::string render_text(const Diagnosis& diagnosis,
                        const Translator& words = Translator(),
                        Detail detail = Detail::all);
std::string render_text(const RunComparison& comparison, const Translator& words = Translator());
// What else is different about the two runs, a line each; empty when nothing is.
std::string render_text(const std::vector<Difference>& differences,
                        const Translator& words = Translator());

// Parts of it, for other reports: all but the checks (verdict, findings, breakdown, statistics),
// the findings by rank, and DIAGNOSTIC SUMMARY with all checks.
std::string render_run(const Diagnosis& diagnosis,
                       const Translator& words = Translator(),
                       Detail detail = Detail::all);
std::string render_findings(const Diagnosis& diagnosis,
                            const Translator& words = Translator(),
                            Detail detail = Detail::all);
std::string render_checks(const Diagnosis& diagnosis, const Translator& words = Translator());
// Only a line for each check; those that were skipped for the same reason share one.
std::string list_checks(const Diagnosis& diagnosis,
                        std::string_view indent,
                        const Translator& words = Translator());

// The verdict in one line, without its end: what a trainer says after an epoch.
std::string render_verdict(const Diagnosis& diagnosis, const Translator& words = Translator());

}  // namespace qanat
