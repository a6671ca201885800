// The report of `qanat data doctor`: as a document, and as a page on which clips can be heard and
// seen.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "doctor/doctor_report.h"
#include "locale/translator.h"
#include "report/document.h"

namespace qanat {

// At most `list_limit` clips of each rule; absent: all, and the figures of every clip, as programs
// want them.
Document to_document(const DoctorReport& report,
                     std::optional<std::size_t> list_limit = std::nullopt);

// One page, to be written to `page`: players load their files by paths relative to it, pictures are
// inside. Reads the clips that it shows.
std::string render_html(const DoctorReport& report,
                        const std::filesystem::path& page,
                        const Translator& words);

// What stands at the top of a view, a line each.
std::vector<std::string> view_comments(const DoctorReport& report, const Translator& words);

}  // namespace qanat
