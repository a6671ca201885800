// The flags that ask for a trace: --trace, --trace-format, --trace-budget.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/flags.h"
#include "telemetry/run_tracer.h"

namespace qanat {

// A part of a command; lives as long as the CLI::App it declared flags on.
class TraceFlags {
 public:
  void declare(Flags& flags);

  // After parsing.
  std::optional<std::filesystem::path> file() const;
  TraceOptions options() const;

 private:
  std::string file_;
  std::string format_ = "perfetto";
  int budget_ = 32;  // MB
};

}  // namespace qanat
