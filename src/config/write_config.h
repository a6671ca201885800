// A configuration and its field list as text for people and for files.
#pragma once

#include <string>

#include "config/load_config.h"
#include "config/run_config.h"

namespace qanat {

// YAML that reads back to the same RunConfig; values that are not defaults say where they came
// from in a comment.
std::string to_yaml(const LoadedConfig& config);

// docs/en/configuration.md: every key with meaning, kind, default and flag.
std::string config_reference();

}  // namespace qanat
