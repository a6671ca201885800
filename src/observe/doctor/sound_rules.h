// Judges by the sound of clips alone: each against the rest of the set, or of its speaker where the
// set names speakers. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "doctor/doctor_report.h"

namespace qanat {

// Utterances of one speaker (all, where too few are of one) that were measured and hold sound.
std::vector<std::vector<std::uint32_t>> groups_of(const DoctorReport& report);

// Fills findings and skipped of the rules DOC002 to DOC013 and DOC018.
void judge_sound(DoctorReport& report);
// DOC018: timbre and pitch unlike those of the group.
void judge_voices(DoctorReport& report);

}  // namespace qanat
