// The page of a run beside its journal: report.html.
#pragma once

#include <filesystem>

#include "diagnose/diagnosis.h"
#include "history/run_history.h"
#include "locale/translator.h"

namespace qanat {

// Writes the page of a run with this journal. Throws Error when it cannot be written.
void write_run_page(const RunRecord& record,
                    const Diagnosis& diagnosis,
                    const std::filesystem::path& journal,
                    const std::filesystem::path& page,
                    const Translator& words);

}  // namespace qanat
