// The reports of `qanat profile`: the verdict first, then the words users know (TIMING STATISTICS,
// BOTTLENECK ANALYSIS, RECOMMENDED CONFIGURATION). Their JSON has stable keys, one schema each in
// docs/schema: SI units, shares from 0 to 1.
#pragma once

#include "diagnose/data_profile.h"
#include "diagnose/dual_profile.h"
#include "diagnose/step_profile.h"
#include "diagnose/sweep.h"
#include "report/document.h"

namespace qanat {

Document to_document(const StepProfile& profile);
Document to_document(const DataProfile& profile);
Document to_document(const SweepReport& sweep);
Document to_document(const DualProfile& profile);

}  // namespace qanat
