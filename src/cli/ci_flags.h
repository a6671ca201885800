// The flags with which a diagnosis is shown by continuous integration: --junit and --annotations.
//
//   void declare(Flags& flags) override { ci_.declare(flags); }
//   ... ci_.write(diagnosis, context.err);
#pragma once

#include <ostream>
#include <string>

#include "cli/flags.h"
#include "diagnose/diagnosis.h"

namespace qanat {

// A part of a command; lives as long as the CLI::App it declared flags on.
class CiFlags {
 public:
  void declare(Flags& flags);
  // After parsing; nothing when neither was asked for. `what` names the test suite. Throws Error
  // when the file cannot be written.
  void write(const Diagnosis& diagnosis, const std::string& what, std::ostream& err) const;

 private:
  std::string junit_;
  std::string annotations_ = "none";
};

}  // namespace qanat
