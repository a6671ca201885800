// `qanat data mel`
#pragma once

#include <memory>

#include "cli/command.h"

namespace qanat {

std::unique_ptr<Command> make_data_mel_command();

}  // namespace qanat
