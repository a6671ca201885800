// `qanat profile data`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_profile_data_command();

}  // namespace qanat
