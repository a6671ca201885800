// DOC019: what a command hears in the clips, against their texts.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "doctor/doctor_report.h"
#include "evaluate/judge.h"

namespace qanat {

// The words of `expected` with those that were heard instead: "the -cat- {bat} sat". Pure.
std::string word_difference(const std::vector<std::string>& expected,
                            const std::vector<std::string>& heard);

// Asks the command for every clip that holds sound. False when stopped. Throws Error as Judge does.
bool listen(const JudgeCommand& command,
            const ProgressFn& progress,
            const std::stop_token& stop,
            DoctorReport& report);
// The findings of what was heard; skipped where nobody listened. Pure.
void judge_words(DoctorReport& report);

}  // namespace qanat
