// The data set report for programs: everything, nothing left out.
#pragma once

#include <string>

#include "dataset/dataset_report.h"

namespace qanat {

// One JSON object with a `version`; unknown values are null. Ends in a newline.
std::string render_json(const DatasetReport& report);

}  // namespace qanat
