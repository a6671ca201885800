// DOC014: clips that are the same recording, also after another codec, level or cut of the silence.
// Pure.
#pragma once

#include "doctor/doctor_report.h"

namespace qanat {

void judge_repeats(DoctorReport& report);

}  // namespace qanat
