// Profiles for a terminal or a log: the verdict first, then the words users know (TIMING
// STATISTICS, BOTTLENECK ANALYSIS, RECOMMENDED CONFIGURATION). Every text ends in a newline.
#pragma once

#include <string>

#include "diagnose/data_profile.h"
#include "diagnose/dual_profile.h"
#include "diagnose/step_profile.h"
#include "diagnose/sweep.h"
#include "report/words.h"

namespace qanat {

std::string render_text(const StepProfile& profile, const Words& words = Words());
std::string render_text(const DataProfile& profile, const Words& words = Words());
std::string render_text(const SweepReport& sweep, const Words& words = Words());
std::string render_text(const DualProfile& profile, const Words& words = Words());

}  // namespace qanat
