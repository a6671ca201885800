// What the shell sees. 128 + signal is added by main when a command was stopped after saving.
#pragma once

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

}  // namespace qanat
