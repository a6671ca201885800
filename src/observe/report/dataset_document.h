// The report on a data set: what it holds, what is wrong with it, and whether a run can use it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "dataset/dataset_report.h"
#include "report/document.h"

namespace qanat {

// The verdict first. At most `list_limit` problems of each kind, and characters; absent: all, as
// programs want them.
Document to_document(const DatasetReport& report,
                     std::optional<std::size_t> list_limit = std::nullopt);

// What the page of a check is written to, and how much of every list is on it.
struct DatasetPage {
  std::filesystem::path file;  // it links to the audio files from there
  std::optional<std::size_t> list_limit{};
};

// One page: no script, nothing loaded but the audio files that are played, light and dark.
// Everything the data set holds is escaped, and set in the direction of its own script.
std::string render_html(const DatasetReport& report,
                        const DatasetPage& page,
                        const Translator& words);

}  // namespace qanat
