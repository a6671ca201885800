// What the shell sees. 128 + signal is added by main when a command was stopped after saving.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "base/message.h"

namespace qanat {

enum class ExitCode {
  done = 0,
  failed = 1,
  usage = 2,
  cannot_measure = 3,
  findings = 10,
  regression = 11,
  hardware_fault = 12,
};

// What each means, for --help and the manual.
std::array<std::pair<std::string_view, MessageId>, 8> exit_codes();

}  // namespace qanat
