// `qanat data text`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_data_text_command();

}  // namespace qanat
