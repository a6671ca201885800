// From files and flags to one checked RunConfig that knows where each value came from.
//
// Precedence: defaults < file < --set < flags. All problems are found before any is reported.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"
#include "config/run_config.h"
#include "config/scalar.h"

namespace qanat {

// Key to the place that set it ("config.yaml:12", "--set", "--batch-size"); defaults are absent.
using Origins = std::map<std::string, std::string>;

struct LoadedConfig {
  RunConfig values;
  Origins origins;
};

struct Assignment {
  std::string key;
  Scalar value;
  std::string origin;
};

struct ConfigRequest {
  std::optional<std::filesystem::path> file;
  std::vector<std::string> sets;  // "data.batch_size=32", in the order given
  std::vector<Assignment> flags;
};

// Throws ConfigError with every problem: of the file, of --set, of the flags and between them.
LoadedConfig load_config(const ConfigRequest& request);

// The same from memory; `name` stands for the file in messages and origins.
LoadedConfig load_config_text(std::string_view yaml, const std::string& name);

}  // namespace qanat
