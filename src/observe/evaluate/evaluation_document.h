// The report of `qanat evaluate`: as a document, and as a page on which clips can be heard.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "locale/translator.h"
#include "report/document.h"

namespace qanat {

// At most `list_limit` clips, those with the greatest distortion; absent: all of them by name, as
// programs want them. Files that are not in the figures are always all named.
Document to_document(const Evaluation& evaluation,
                     std::optional<std::size_t> list_limit = std::nullopt);

// One page, to be written to `page`: players load their files by paths relative to it. Everything
// that comes from file names and texts is escaped.
std::string render_html(const Evaluation& evaluation,
                        const std::filesystem::path& page,
                        const Translator& words);

// A score as people see it, with the decimals that its measure has.
MessageArg shown_score(double value, Measure measure);
MessageArg voice_name(Voice voice);
Message title_of(const Evaluation& evaluation);
// The clips with the greatest distortion first.
std::vector<const UtteranceResult*> worst_first(const Evaluation& evaluation);

}  // namespace qanat
