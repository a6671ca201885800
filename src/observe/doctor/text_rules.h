// Judges by the texts of a set, and by how long their clips are: DOC015 to DOC017. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "doctor/doctor_report.h"

namespace qanat {

void judge_text(DoctorReport& report);

// Which characters, and which lengths of clips, a voice learns little of from this set.
std::vector<MessageArg> missing_from(const DoctorReport& report);

}  // namespace qanat
