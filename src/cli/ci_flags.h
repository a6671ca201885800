// The flags with which a diagnosis is shown by continuous integration: --junit and --annotations.
//
//   void declare(CLI::App& app) override { ci_.declare(app); }
//   ... ci_.write(diagnosis, context.err);
#pragma once

#include <ostream>
#include <string>

#include <CLI/CLI.hpp>

#include "diagnose/diagnosis.h"

namespace qanat {

// A part of a command; lives as long as the CLI::App it declared flags on.
class CiFlags {
 public:
  void declare(CLI::App& app);
  // After parsing; nothing when neither was asked for. `what` names the test suite. Throws Error
  // when the file cannot be written.
  void write(const Diagnosis& diagnosis, const std::string& what, std::ostream& err) const;

 private:
  std::string junit_;
  std::string annotations_ = "none";
};

}  // namespace qanat
