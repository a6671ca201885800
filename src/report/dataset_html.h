// The data set report as one page: no script, nothing loaded from elsewhere, light and dark.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dataset/dataset_report.h"
#include "report/words.h"

namespace qanat {

struct DatasetHtmlOptions {
  std::optional<std::size_t> list_limit = 200;  // problems listed of each kind; unset: all
  Words words{};                                // the language of the page
};

// Everything the data set holds is escaped, and set in the direction of its own script.
std::string render_html(const DatasetReport& report, const DatasetHtmlOptions& options = {});

}  // namespace qanat
