// `qanat report JOURNAL`: what held a run back, from its journal alone.
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_report_command();

}  // namespace qanat
