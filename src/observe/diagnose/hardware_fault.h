// Findings that name broken hardware: a lost GPU, errors of its memory or its driver.
#pragma once

#include "diagnose/finding.h"

namespace qanat {

bool is_hardware_fault(const Finding& finding);

}  // namespace qanat
