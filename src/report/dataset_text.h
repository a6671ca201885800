// The data set report for a terminal or a log.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dataset/dataset_report.h"
#include "report/words.h"

namespace qanat {

struct DatasetTextOptions {
  std::optional<std::size_t> list_limit = 20;  // problems listed of each kind; unset: all
  bool unicode = true;                         // bars of blocks instead of #
  Words words{};                               // the language of the report
};

// Ends in a newline. What the data set holds cannot move the cursor: control characters are
// written as escapes.
std::string render_text(const DatasetReport& report, const DatasetTextOptions& options = {});

}  // namespace qanat
